-- The memory of the fencing gate: the highest token seen for each resource. For MySQL and MariaDB.
-- A row may be deleted once no holder of a lower token can still be about to write.
-- Bytes and not characters: collations here take 'A' for 'a', or 'a ' for 'a'. Times are in UTC.
CREATE TABLE IF NOT EXISTS holdfast_fence (
    resource VARBINARY(512) NOT NULL PRIMARY KEY,
    token    BIGINT         NOT NULL,
    seen_at  DATETIME(3)    NOT NULL
) ENGINE = InnoDB;
