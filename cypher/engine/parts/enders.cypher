// Part: enders(relation): those that ended it once, with the one that ends it now, which is about to change: reads of the past look at all of them.
CASE WHEN @relation.ended_by IS NULL THEN @relation.enders ELSE [id IN coalesce(@relation.enders, []) WHERE id <> @relation.ended_by] + @relation.ended_by END
