-- What a column of the pairs in doubt is for, in the data dictionary.

COMMENT ON COLUMN engine.fact_doubts.user_id IS 'whose memory it is';
