// The schema of `gateway.db`, one list of statements per version. A version once released is never edited.
export const migrations: readonly (readonly string[])[] = [
  [
    // The last journal line whose effect this database holds, written in the transaction of that effect.
    'CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT',
    // Which start of the unit seeded the registry last.
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
]
