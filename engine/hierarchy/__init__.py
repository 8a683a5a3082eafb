"""The rooted hierarchy: provisioning, shells and manifests, and the edge registry."""
