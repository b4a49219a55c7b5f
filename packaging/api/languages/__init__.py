"""A template for each language: files(api) returns {path in capi/clients: text}."""
