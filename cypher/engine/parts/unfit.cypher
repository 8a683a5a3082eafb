// Part: unfit(thing, key, name): whether a property is of another type than the data dictionary says of the label or the type, or not of the form that
//   it says of its texts. Needs: parameters types, forms.
NOT coalesce(valueType(@thing[@key]) IN $types[@name][@key], true)
OR $forms[@name][@key] IS NOT NULL AND NOT all(one IN [] + @thing[@key] WHERE toStringOrNull(one) =~ $forms[@name][@key])
