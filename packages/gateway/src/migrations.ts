// The schema of `gateway.db`, one list of statements per version. A version once released is never edited.
export const migrations: readonly (readonly string[])[] = [
  [
    // The last journal line whose effect this database holds, written in the transaction of that effect.
    'CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT',
    // The start of the unit that last seeded the registry.
    'CREATE TABLE seeded (one INTEGER PRIMARY KEY CHECK (one = 1), unit TEXT NOT NULL) STRICT',
    'CREATE TABLE changes (id TEXT PRIMARY KEY, agent_group_id TEXT NOT NULL, state TEXT NOT NULL, record TEXT NOT NULL) STRICT',
    'CREATE INDEX changes_by_state ON changes (state, id)',
    'CREATE TABLE groups (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT',
    `CREATE TABLE grants (agent_group_id TEXT NOT NULL, server TEXT NOT NULL, record TEXT NOT NULL,
       PRIMARY KEY (agent_group_id, server)) STRICT`,
    // AUTOINCREMENT: a number once given to a group or session is never given again.
    'CREATE TABLE slots (slot INTEGER PRIMARY KEY AUTOINCREMENT, agent_group_id TEXT NOT NULL UNIQUE) STRICT',
    `CREATE TABLE sessions (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, agent_group_id TEXT NOT NULL,
       conversation_id TEXT NOT NULL, slot INTEGER NOT NULL, opened_at TEXT NOT NULL, closed_at TEXT) STRICT`,
    'CREATE UNIQUE INDEX open_sessions ON sessions (agent_group_id, conversation_id) WHERE closed_at IS NULL',
    'CREATE TABLE observations (server TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT',
  ],
  [
    // What histories are searched by. The id of a change is its time.
    `ALTER TABLE changes ADD COLUMN kind TEXT NOT NULL DEFAULT ''`,
    `ALTER TABLE changes ADD COLUMN principal TEXT NOT NULL DEFAULT ''`,
    `ALTER TABLE changes ADD COLUMN requested_by TEXT NOT NULL DEFAULT ''`,
    `UPDATE changes SET kind = json_extract(record, '$.kind'), principal = json_extract(record, '$.principal'),
       requested_by = json_extract(record, '$.requestedBy') WHERE json_valid(record)`,
    // A record may hold evidence, which no statement may have to read: what is searched by has a column of its own.
    'ALTER TABLE changes ADD COLUMN expires_at TEXT',
    'ALTER TABLE changes ADD COLUMN decided_at TEXT',
    'ALTER TABLE changes ADD COLUMN rule TEXT',
    'ALTER TABLE changes ADD COLUMN definitions TEXT',
    // What an agent asked for, and of what; empty where a person asked.
    `ALTER TABLE changes ADD COLUMN subject TEXT NOT NULL DEFAULT ''`,
    `ALTER TABLE changes ADD COLUMN wish TEXT NOT NULL DEFAULT ''`,
    `UPDATE changes SET expires_at = json_extract(record, '$.expiresAt'), decided_at = json_extract(record, '$.decisions[#-1].at'),
       rule = json_extract(record, '$.failure.rule'), definitions = json_extract(record, '$.evidence.definitions')
       WHERE json_valid(record)`,
    'CREATE INDEX changes_by_expiry ON changes (state, expires_at, id)',
    'CREATE INDEX changes_by_definitions ON changes (definitions) WHERE definitions IS NOT NULL',
    `CREATE INDEX changes_of_agents ON changes (agent_group_id, state, id, kind, subject, wish, rule, decided_at, expires_at)
       WHERE wish <> ''`,
    'CREATE INDEX changes_by_group ON changes (agent_group_id, state, id)',
    'CREATE INDEX changes_by_kind ON changes (kind, id)',
    'CREATE INDEX changes_by_place ON changes (agent_group_id, id)',
    'CREATE INDEX changes_by_principal ON changes (principal, id)',
    'CREATE INDEX changes_by_requester ON changes (requested_by, id)',
    // Where each line of the journal stands, and what it is searched by. An index holds `seq` behind its column.
    `CREATE TABLE lines (seq INTEGER PRIMARY KEY, time TEXT NOT NULL, stage TEXT NOT NULL, principal TEXT NOT NULL,
       change_id TEXT, kind TEXT, agent_group_id TEXT, file INTEGER NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL) STRICT`,
    'CREATE INDEX lines_by_stage ON lines (stage)',
    'CREATE INDEX lines_by_principal ON lines (principal)',
    'CREATE INDEX lines_by_change ON lines (change_id) WHERE change_id IS NOT NULL',
    'CREATE INDEX lines_by_kind ON lines (kind) WHERE kind IS NOT NULL',
    'CREATE INDEX lines_by_group ON lines (agent_group_id) WHERE agent_group_id IS NOT NULL',
    // Acts that took effect while the journal could not be written: they go first when it can.
    'CREATE TABLE late_lines (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, line TEXT NOT NULL) STRICT',
    `CREATE TABLE idempotency (principal TEXT NOT NULL, route TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL,
       change_id TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (principal, route, key)) STRICT`,
    'CREATE INDEX idempotency_by_time ON idempotency (at)',
    `CREATE TABLE conditions (change_id TEXT NOT NULL, session TEXT NOT NULL, record TEXT NOT NULL,
       PRIMARY KEY (change_id, session)) STRICT`,
    'CREATE TABLE tokens (name TEXT PRIMARY KEY, digest TEXT NOT NULL UNIQUE, record TEXT NOT NULL) STRICT',
    'CREATE TABLE token_uses (name TEXT PRIMARY KEY, at TEXT NOT NULL) STRICT',
    // The empty scope is the whole unit.
    'CREATE TABLE freezes (scope TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT',
    `CREATE TABLE wirings (channel TEXT NOT NULL, address TEXT NOT NULL, agent_group_id TEXT NOT NULL, record TEXT NOT NULL,
       PRIMARY KEY (channel, address)) STRICT`,
    `CREATE TABLE call_counts (agent_group_id TEXT NOT NULL, server TEXT NOT NULL, change_id TEXT NOT NULL, used INTEGER NOT NULL,
       PRIMARY KEY (agent_group_id, server)) STRICT`,
    'CREATE TABLE sightings (source TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT',
    // The whole of evidence that a change names by its digest.
    'CREATE TABLE evidence (digest TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT',
    // What the catalog file must hold, sealed; `done` once it does.
    `CREATE TABLE catalog_writes (name TEXT PRIMARY KEY, seq INTEGER NOT NULL, entry TEXT, done INTEGER NOT NULL) STRICT`,
    // How the definitions of a grant's tools differ from what was approved, as it was last journaled.
    `CREATE TABLE drifts (agent_group_id TEXT NOT NULL, server TEXT NOT NULL, record TEXT NOT NULL,
       PRIMARY KEY (agent_group_id, server)) STRICT`,
  ],
  [
    // Where a held change is shown: one row a place. There is something to be done there while `seen` is behind `revision`,
    // which moves with the change, in the same transaction, whoever writes it. Not journaled: a card decides nothing.
    `CREATE TABLE cards (id INTEGER PRIMARY KEY AUTOINCREMENT, change_id TEXT NOT NULL, channel TEXT NOT NULL, address TEXT NOT NULL,
       revision INTEGER NOT NULL DEFAULT 1, seen INTEGER NOT NULL DEFAULT 0, shown TEXT, reference TEXT, remind_at TEXT,
       reminded INTEGER NOT NULL DEFAULT 0, UNIQUE (change_id, channel, address)) STRICT`,
    'CREATE INDEX cards_to_remind ON cards (remind_at) WHERE remind_at IS NOT NULL',
    'CREATE INDEX cards_to_show ON cards (change_id) WHERE revision > seen',
    'CREATE INDEX wirings_by_group ON wirings (agent_group_id)',
    `INSERT INTO cards (change_id, channel, address) SELECT c.id, w.channel, w.address FROM changes c
       JOIN wirings w ON w.agent_group_id = c.agent_group_id WHERE c.state = 'held'`,
    `CREATE TRIGGER cards_of_change AFTER INSERT ON changes WHEN new.state = 'held' BEGIN
       INSERT INTO cards (change_id, channel, address) SELECT new.id, channel, address FROM wirings
         WHERE agent_group_id = new.agent_group_id ON CONFLICT DO NOTHING;
     END`,
    `CREATE TRIGGER cards_of_wiring AFTER INSERT ON wirings BEGIN
       INSERT INTO cards (change_id, channel, address) SELECT id, new.channel, new.address FROM changes
         WHERE agent_group_id = new.agent_group_id AND state = 'held' ON CONFLICT DO NOTHING;
     END`,
    `CREATE TRIGGER cards_moved AFTER UPDATE ON changes BEGIN
       UPDATE cards SET revision = revision + 1 WHERE change_id = new.id;
     END`,
  ],
  [
    // No two tool servers have names that differ by case alone.
    'CREATE UNIQUE INDEX catalog_names ON catalog_writes (name COLLATE NOCASE)',
  ],
  [
    // The person behind each token that a named admin created: the first of the chain that the unit's own admin token created,
    // or, where the creator is gone, the creator. A chain that leads back into itself, since names are given again, is one person too.
    `WITH RECURSIVE up (name, person) AS (
       SELECT name, record ->> '$.createdBy' FROM tokens WHERE record ->> '$.createdBy' NOT IN ('admin', 'dev')
       UNION
       SELECT up.name, record ->> '$.createdBy' FROM up JOIN tokens ON tokens.name = up.person
         WHERE record ->> '$.createdBy' NOT IN ('admin', 'dev')
     )
     UPDATE tokens SET record = json_set(record, '$.person', (
         SELECT min(person) FROM up WHERE up.name = tokens.name
           AND (person NOT IN (SELECT name FROM up) OR EXISTS (SELECT 1 FROM up AS back WHERE back.name = up.person AND back.person = up.person))
       ))
       WHERE record ->> '$.createdBy' NOT IN ('admin', 'dev')`,
    // Requests that are still open keep their person when their token is revoked later.
    `UPDATE changes SET record = json_set(record, '$.person', (SELECT tokens.record ->> '$.person' FROM tokens WHERE tokens.name = changes.principal))
       WHERE state IN ('held', 'approved', 'apply_failed')
         AND EXISTS (SELECT 1 FROM tokens WHERE tokens.name = changes.principal AND tokens.record ->> '$.person' IS NOT NULL)`,
  ],
  [
    // Earlier versions noted the entry of an approved registration before the line of its apply. It is written when it is applied.
    'DELETE FROM catalog_writes WHERE seq = 0 AND done = 0',
  ],
]
