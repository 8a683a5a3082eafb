"""The rooted hierarchy: provisioning, shells and manifests, the edge registry, and the commit over the stores."""
