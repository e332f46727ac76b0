"""The definitions of the handmade cases, a module a topic; dsl.py says how to read them."""
