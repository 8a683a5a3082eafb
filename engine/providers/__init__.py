"""Embedders: offline by ONNX, or a service. Language models join with the issue that needs them."""
