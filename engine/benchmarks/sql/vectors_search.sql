-- Purpose: the nearest by inner product, over whole or half precision. Identifier: table. Parameters: vector, limit. Returns: place.
SELECT place FROM {table} ORDER BY short <#> %(vector)s LIMIT %(limit)s
