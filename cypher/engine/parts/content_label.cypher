// Part: content_label(content_type): the label that a record has beside Record, by what it holds; the first word of its caption, too.
CASE @content_type WHEN 'conversation' THEN 'Conversation' ELSE 'Document' END
