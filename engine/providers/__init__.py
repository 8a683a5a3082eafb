"""Embedders: offline by ONNX, or a service. Language models: services alone, and nothing that is read needs one."""
