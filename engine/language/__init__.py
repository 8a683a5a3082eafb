"""Languages: their words as data, a file each; which one a text is in; what dates and questions say. Imports nothing of ours."""
