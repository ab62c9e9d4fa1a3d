-- The memory of the fencing gate: the highest token seen for each resource.
-- A row may be deleted once no holder of a lower token can still be about to write.
CREATE TABLE IF NOT EXISTS holdfast_fence (
    resource VARCHAR(512) COLLATE "C"    NOT NULL PRIMARY KEY,
    token    BIGINT                      NOT NULL,
    seen_at  TIMESTAMP(3) WITH TIME ZONE NOT NULL
);
