// Part: unfit(thing, key, name): whether a property is of another type than the data dictionary says of the label or the type, or no id where it says so.
// Needs: parameters types, ids, uuid.
NOT coalesce(valueType(@thing[@key]) IN $types[@name][@key], true)
OR @key IN $ids[@name] AND NOT all(one IN [] + @thing[@key] WHERE toStringOrNull(one) =~ $uuid)
