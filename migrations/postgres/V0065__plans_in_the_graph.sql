-- Facts of the graph have `holds_until`, too: until when the plan can hold that they state. The job of facts carries those of before there: their revision is raised.
UPDATE engine.facts AS f SET revision = f.revision + 1 FROM engine.fact_attributes AS a WHERE a.fact_id = f.fact_id AND a.holds_until IS NOT NULL;
