"""The leak fuzzer: random forests, random questions of everybody, every answer compared with the rules in plain Python.

model       the rules once more, over dictionaries; asks no database
things      what there is
stored      nodes, edges and records, made through the public API;  rights: grants
forest      users, personas, integrations, nodes, edges, records, grants, made through the public API
past        what was: names and titles of before, moves, older versions
expected    what a reader of the public API is to be told, from the model
questions   and contents, attempts: questions and refused attempts through the public API
rows        statements without a WHERE, and attempts to write, under the request role
changes     what changes the world between two batches of questions
fuzzer      runs batches, collects what did not match
"""
