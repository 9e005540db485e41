/** The tables of the embedded engine, as numbered migrations that one process at a time applies. */
import { DatabaseSync } from 'node:sqlite'
import { mergeRuns } from './chunks/sqlite-chunk-migration.ts'
import { patiently } from './sqlite-patience.ts'

/** SQL, or what runs inside the transaction that applies it. */
type Migration = string | ((database: DatabaseSync) => void)

/** Only ever add to the end: a number that was released never changes. */
export const migrations: readonly Migration[] = [
  `
  CREATE TABLE account (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL COLLATE NOCASE UNIQUE,
    plan TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE site (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX site_by_account ON site (account_id, number);
  -- Removed sites whose events may still be there.
  CREATE TABLE site_purge (site INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE api_key (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    last_four TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at INTEGER
  ) STRICT;
  CREATE INDEX api_key_by_account ON api_key (account_id, number);

  -- 'accounts': rises with every change that a key or site look-up can see. 'event-id': the next id.
  CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO counter VALUES ('accounts', 1), ('event-id', 1);

  CREATE TABLE site_state (
    site INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL,
    removed INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  -- Dictionaries, a site's own, so that removing a site removes its texts: paths, user agents, hosts, rules.
  CREATE TABLE text (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    site INTEGER NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (site, value)
  ) STRICT;
  -- Who or what an event is about: a bot, an assistant, a conversion.
  CREATE TABLE subject (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    site INTEGER NOT NULL,
    type INTEGER NOT NULL,
    name TEXT NOT NULL,
    company TEXT NOT NULL,
    UNIQUE (site, type, name, company)
  ) STRICT;
  -- A subject together with all that explains the verdict; 0 stands for "not known", other numbers of text columns are text.id.
  CREATE TABLE origin (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    site INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    source INTEGER NOT NULL,
    status INTEGER NOT NULL,
    user_agent INTEGER NOT NULL,
    referrer_host INTEGER NOT NULL,
    rule INTEGER NOT NULL,
    catalogue_version INTEGER NOT NULL,
    UNIQUE (site, subject, source, status, user_agent, referrer_host, rule, catalogue_version)
  ) STRICT;
  -- Events, a few hundred a row (sqlite-chunk.ts): chunks of one site and type never overlap in (time, id).
  CREATE TABLE chunk (
    id INTEGER PRIMARY KEY,
    site INTEGER NOT NULL,
    type INTEGER NOT NULL,
    first_time INTEGER NOT NULL,
    first_id INTEGER NOT NULL,
    data BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX chunk_order ON chunk (site, type, first_time, first_id);
  -- Roll-up of one site and day (sqlite-day.ts). key = site * 2^22 + day: one range of integers a site.
  CREATE TABLE day (key INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
  CREATE TABLE usage (
    account INTEGER NOT NULL,
    month INTEGER NOT NULL,
    site INTEGER NOT NULL,
    events INTEGER NOT NULL,
    PRIMARY KEY (account, month, site)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE idempotency (
    site INTEGER NOT NULL,
    key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    response TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (site, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_by_age ON idempotency (created_at);
  CREATE TABLE import_progress (
    site INTEGER NOT NULL,
    id TEXT NOT NULL,
    "offset" INTEGER NOT NULL,
    head_length INTEGER NOT NULL,
    head_hash TEXT NOT NULL,
    window_length INTEGER NOT NULL,
    window_hash TEXT NOT NULL,
    context TEXT,
    lines INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (site, id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Roll-up behind breakdowns (sqlite-facets.ts), with the keys of table day.
  CREATE TABLE facet (key INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
  CREATE TABLE facet_tail (key INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
  `,
  `
  ALTER TABLE account ADD COLUMN is_owner INTEGER NOT NULL DEFAULT 0;
  CREATE UNIQUE INDEX one_owner ON account (is_owner) WHERE is_owner = 1;
  -- Signs the session cookies of the dashboard.
  CREATE TABLE instance (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO instance VALUES ('session-secret', lower(hex(randomblob(32))));
  -- People who sign in to the dashboard: tables and columns as better-auth wants them. login_user.id is account.id.
  CREATE TABLE login_user (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL COLLATE NOCASE UNIQUE,
    emailVerified INTEGER NOT NULL,
    image TEXT,
    createdAt TEXT NOT NULL,
    updatedAt TEXT NOT NULL
  ) STRICT;
  CREATE TABLE login_session (
    id TEXT PRIMARY KEY,
    expiresAt TEXT NOT NULL,
    token TEXT NOT NULL UNIQUE,
    createdAt TEXT NOT NULL,
    updatedAt TEXT NOT NULL,
    ipAddress TEXT,
    userAgent TEXT,
    userId TEXT NOT NULL
  ) STRICT;
  CREATE INDEX login_session_by_user ON login_session (userId);
  CREATE TABLE login_credential (
    id TEXT PRIMARY KEY,
    accountId TEXT NOT NULL,
    providerId TEXT NOT NULL,
    userId TEXT NOT NULL,
    accessToken TEXT,
    refreshToken TEXT,
    idToken TEXT,
    accessTokenExpiresAt TEXT,
    refreshTokenExpiresAt TEXT,
    scope TEXT,
    password TEXT,
    createdAt TEXT NOT NULL,
    updatedAt TEXT NOT NULL
  ) STRICT;
  CREATE INDEX login_credential_by_user ON login_credential (userId);
  CREATE TABLE login_verification (
    id TEXT PRIMARY KEY,
    identifier TEXT NOT NULL,
    value TEXT NOT NULL,
    expiresAt TEXT NOT NULL,
    createdAt TEXT NOT NULL,
    updatedAt TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- What brought the visitor of a conversion is part of its origin. The numbers of origins stay, and none is given out twice.
  CREATE TABLE origin_with_touch (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    site INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    source INTEGER NOT NULL,
    status INTEGER NOT NULL,
    user_agent INTEGER NOT NULL,
    referrer_host INTEGER NOT NULL,
    rule INTEGER NOT NULL,
    catalogue_version INTEGER NOT NULL,
    source INTEGER NOT NULL,
    landing INTEGER NOT NULL,
    UNIQUE (site, subject, source, status, user_agent, referrer_host, rule, catalogue_version, source, landing)
  ) STRICT;
  INSERT INTO origin_with_touch SELECT *, 0, 0 FROM origin;
  DELETE FROM sqlite_sequence WHERE name = 'origin_with_touch';
  INSERT INTO sqlite_sequence SELECT 'origin_with_touch', seq FROM sqlite_sequence WHERE name = 'origin';
  DROP TABLE origin;
  ALTER TABLE origin_with_touch RENAME TO origin;
  `,
  `
  -- Log drains that need more than an API key. The secret signs deliveries, so it cannot be kept as a hash.
  CREATE TABLE drain (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    site_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    secret TEXT,
    proof TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX drain_by_site ON drain (site_id, number);
  `,
  `
  -- Ways in that stored events with a sighting (sqlite-sighting.ts), as bits, and what came in by each way (sqlite-health.ts).
  ALTER TABLE site_state ADD COLUMN ways INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE site_state ADD COLUMN health BLOB NOT NULL DEFAULT x'';
  INSERT INTO instance VALUES ('fingerprint-secret', lower(hex(randomblob(32))));
  `,
  `
  -- Events that are not yet in chunks and roll-ups (inbox/sqlite-inbox.ts). No index: one would cost a page a row.
  CREATE TABLE inbox (
    id INTEGER PRIMARY KEY,
    site INTEGER NOT NULL,
    type INTEGER NOT NULL,
    events INTEGER NOT NULL,
    ways INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    note TEXT,
    data BLOB NOT NULL
  ) STRICT;
  -- The last row of the inbox that is filed.
  ALTER TABLE site_state ADD COLUMN filed INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Events of all types lie in one run (sqlite-chunk-writer.ts), in which chunks with a rare type are found by its own index.
  ALTER TABLE chunk RENAME COLUMN type TO run;
  ALTER TABLE chunk ADD COLUMN types INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX chunk_with_bots ON chunk (site, first_time, first_id) WHERE types & 1;
  CREATE INDEX chunk_with_referrals ON chunk (site, first_time, first_id) WHERE types & 2;
  `,
  mergeRuns,
  `
  -- What an account has recorded is exact in one row, since quotas ask for it; what was recorded for each of its sites is filed with the events.
  CREATE TABLE account_usage (
    account INTEGER NOT NULL,
    month INTEGER NOT NULL,
    events INTEGER NOT NULL,
    PRIMARY KEY (account, month)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE site_usage (
    site INTEGER NOT NULL,
    month INTEGER NOT NULL,
    events INTEGER NOT NULL,
    PRIMARY KEY (site, month)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO account_usage SELECT account, month, sum(events) FROM usage GROUP BY account, month;
  INSERT INTO site_usage SELECT site, month, sum(events) FROM usage
    WHERE site NOT IN (SELECT site FROM site_state WHERE removed = 1) GROUP BY site, month;
  DROP TABLE usage;
  -- What waits is counted when it is filed.
  INSERT INTO site_usage
    SELECT site, strftime('%Y', recorded_at / 1000, 'unixepoch') * 12 + strftime('%m', recorded_at / 1000, 'unixepoch') - 1 AS month, -sum(events)
    FROM inbox LEFT JOIN site_state USING (site) WHERE id > coalesce(filed, 0) AND coalesce(removed, 0) = 0 GROUP BY site, month
    ON CONFLICT (site, month) DO UPDATE SET events = events + excluded.events;
  `,
]

export function apply(database: DatabaseSync, migration: Migration): void {
  if (typeof migration === 'string') database.exec(migration)
  else migration(database)
}

/** Milliseconds that a connection waits for another process's transaction. */
export const busyTimeoutMs = 10_000

/**
 * Opens the file, creates what is missing, and closes it again. Several processes may do this at once. `onUpgrade` is called before a
 * file of an older Pugmark is changed. Throws when the file was written by a newer Pugmark.
 */
export function migrate(file: string, onUpgrade: () => void = () => {}): void {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs })
  try {
    // WAL: readers never wait for the writer. It is a property of the file and stays.
    patiently(() => database.exec('PRAGMA journal_mode = WAL'), busyTimeoutMs)
    if (versionOf(database) === migrations.length) return
    database.exec('BEGIN IMMEDIATE')
    const version = versionOf(database)
    if (version > migrations.length) {
      throw new Error(
        `${file} has schema version ${version}; this Pugmark knows ${migrations.length}. Use the newer Pugmark that wrote it.`,
      )
    }
    if (version > 0 && version < migrations.length) onUpgrade()
    for (const migration of migrations.slice(version)) apply(database, migration)
    database.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`)
  } finally {
    database.close()
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version)
}
