/** Creates the tables of the embedded engine. docs/schema.md explains them to people who read them with other tools. */
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { retryWhileBusy } from './busy-retry.ts'

export const schemaVersion = 1

/** How long a connection waits for the transaction of another process, in milliseconds. */
export const busyTimeoutMs = 10_000

const accountTables = `
  CREATE TABLE account (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL COLLATE NOCASE UNIQUE,
    plan TEXT NOT NULL,
    is_owner INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX one_owner ON account (is_owner) WHERE is_owner = 1;
  CREATE TABLE site (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX site_by_account ON site (account_id, number);
  -- Removed sites that may still have events.
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
  -- 'accounts' rises with every change that affects the look-up of a key or site; 'event-id' is the id of the next event.
  CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO counter VALUES ('accounts', 1), ('event-id', 1);
  -- 'session-secret' signs session cookies; 'fingerprint-secret' keys the fingerprints of clients.
  CREATE TABLE instance (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO instance VALUES ('session-secret', lower(hex(randomblob(32)))), ('fingerprint-secret', lower(hex(randomblob(32))));
`

/** Tables and columns that better-auth requires. login_user.id equals account.id. */
const loginTables = `
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
`

/**
 * Each name belongs to a site, so that removing the site also removes its texts. Numbers use 0 for "not known" and texts use the empty
 * string, because a unique index treats two NULLs as different.
 */
const eventTables = `
  -- A bot, an assistant or a conversion. type: 0 bot, 1 referral, 2 conversion.
  CREATE TABLE subject (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    site INTEGER NOT NULL,
    type INTEGER NOT NULL,
    name TEXT NOT NULL,
    company TEXT NOT NULL,
    UNIQUE (site, type, name, company)
  ) STRICT;
  -- hash: the first 48 bits of the text's SHA-256. Indexing it takes less space than indexing long texts.
  CREATE TABLE path (id INTEGER PRIMARY KEY AUTOINCREMENT, site INTEGER NOT NULL, hash INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
  CREATE INDEX path_by_hash ON path (site, hash);
  CREATE TABLE agent (id INTEGER PRIMARY KEY AUTOINCREMENT, site INTEGER NOT NULL, hash INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
  CREATE INDEX agent_by_hash ON agent (site, hash);
  -- How an event arrived and which rule classified it. agent and landing refer to agent.id and path.id.
  CREATE TABLE origin (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    site INTEGER NOT NULL,
    source TEXT NOT NULL,
    agent INTEGER NOT NULL,
    referrer_host TEXT NOT NULL,
    rule TEXT NOT NULL,
    catalogue TEXT NOT NULL,
    assistant TEXT NOT NULL,
    landing INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX origin_by_agent ON origin (site, agent, landing, source);
  -- Five small facts about an event as one number.
  CREATE TABLE judgement (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    status INTEGER NOT NULL,
    verdict INTEGER NOT NULL,
    reason INTEGER NOT NULL,
    evidence INTEGER NOT NULL,
    robots INTEGER NOT NULL,
    UNIQUE (status, verdict, reason, evidence, robots)
  ) STRICT;
  -- at: milliseconds since 1970 UTC. client: the fingerprint of the client. seen_by: one bit for each source that reported it.
  CREATE TABLE event (
    site INTEGER NOT NULL,
    at INTEGER NOT NULL,
    id INTEGER NOT NULL,
    type INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    path INTEGER NOT NULL,
    country TEXT NOT NULL,
    value INTEGER,
    value_billionths INTEGER,
    bytes INTEGER,
    duration_ms INTEGER,
    origin INTEGER NOT NULL,
    judgement INTEGER NOT NULL,
    client INTEGER,
    seen_by INTEGER NOT NULL,
    PRIMARY KEY (site, at, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX event_clicks ON event (site, at, id) WHERE type = 1;
  CREATE INDEX event_conversions ON event (site, at, id) WHERE type = 2;
  -- Events recorded together: those with ids from first_id to last_id happened between min_at and max_at.
  CREATE TABLE batch (
    site INTEGER NOT NULL,
    first_id INTEGER NOT NULL,
    last_id INTEGER NOT NULL,
    min_at INTEGER NOT NULL,
    max_at INTEGER NOT NULL,
    events INTEGER NOT NULL,
    import TEXT NOT NULL,
    PRIMARY KEY (site, first_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE robots_read (
    site INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (site, subject, at)
  ) STRICT, WITHOUT ROWID;
`

const rollUpTables = `
  -- day: days since 1970 UTC; hour: hours since 1970 UTC.
  CREATE TABLE by_day (
    site INTEGER NOT NULL,
    day INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    status INTEGER NOT NULL,
    verdict INTEGER NOT NULL,
    robots INTEGER NOT NULL,
    count INTEGER NOT NULL,
    value INTEGER NOT NULL,
    value_billionths INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    PRIMARY KEY (site, day, subject, status, verdict, robots)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE by_hour (
    site INTEGER NOT NULL,
    hour INTEGER NOT NULL,
    type INTEGER NOT NULL,
    verdict INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (site, hour, type, verdict)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE by_country (
    site INTEGER NOT NULL,
    day INTEGER NOT NULL,
    country TEXT NOT NULL,
    subject INTEGER NOT NULL,
    count INTEGER NOT NULL,
    value INTEGER NOT NULL,
    value_billionths INTEGER NOT NULL,
    PRIMARY KEY (site, day, country, subject)
  ) STRICT, WITHOUT ROWID;
  -- The load of all requests, whether they are events or not.
  CREATE TABLE load_by_day (
    site INTEGER NOT NULL,
    day INTEGER NOT NULL,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    requests INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    PRIMARY KEY (site, day, source, kind)
  ) STRICT, WITHOUT ROWID;
`

const recordingTables = `
  -- revision: the data version of the site. sources: one bit for each source that recorded events with a client.
  CREATE TABLE site_state (
    site INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL,
    removed INTEGER NOT NULL DEFAULT 0,
    sources INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  -- month: year * 12 + month from 0, UTC.
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
  -- What each source of a site has delivered. Times and pauses are in milliseconds; week: days since 1970 divided by seven.
  CREATE TABLE source_health (
    site INTEGER NOT NULL,
    source TEXT NOT NULL,
    first_seen INTEGER,
    last_seen INTEGER,
    week INTEGER NOT NULL,
    pause INTEGER NOT NULL,
    pause_before INTEGER NOT NULL,
    received INTEGER NOT NULL,
    recorded INTEGER NOT NULL,
    merged INTEGER NOT NULL,
    late INTEGER NOT NULL,
    duplicates INTEGER NOT NULL,
    unknown_fields INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    rejected_at INTEGER,
    rejected_reason TEXT,
    PRIMARY KEY (site, source)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE source_ignored (
    site INTEGER NOT NULL,
    source TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (site, source, reason)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE source_day (
    site INTEGER NOT NULL,
    source TEXT NOT NULL,
    day INTEGER NOT NULL,
    received INTEGER NOT NULL,
    recorded INTEGER NOT NULL,
    merged INTEGER NOT NULL,
    PRIMARY KEY (site, source, day)
  ) STRICT, WITHOUT ROWID;
`

/** Views with names instead of numbers, for people who use sqlite3, DuckDB, Grafana or Metabase. */
const views = `
  CREATE VIEW events AS
    SELECT s.id AS site, s.domain, datetime(e.at / 1000.0, 'unixepoch', 'subsec') AS time, e.id,
      CASE e.type WHEN 0 THEN 'bot' WHEN 1 THEN 'referral' ELSE 'conversion' END AS type,
      n.name, n.company, p.text AS path, e.country, e.value + e.value_billionths / 1e9 AS value,
      nullif(j.status, 0) AS status, e.bytes, e.duration_ms, nullif(j.verdict, 0) AS verdict, nullif(j.robots, 0) AS robots,
      o.source, a.text AS user_agent, nullif(o.referrer_host, '') AS referrer_host, nullif(o.rule, '') AS rule,
      nullif(o.assistant, '') AS assistant, l.text AS landing_page
    FROM event e
    JOIN site s ON s.number = e.site
    JOIN subject n ON n.id = e.subject
    JOIN path p ON p.id = e.path
    JOIN origin o ON o.id = e.origin
    JOIN judgement j ON j.id = e.judgement
    LEFT JOIN agent a ON a.id = o.agent
    LEFT JOIN path l ON l.id = o.landing;
  CREATE VIEW daily AS
    SELECT s.id AS site, s.domain, date(d.day * 86400, 'unixepoch') AS day,
      CASE n.type WHEN 0 THEN 'bot' WHEN 1 THEN 'referral' ELSE 'conversion' END AS type,
      n.name, n.company, nullif(d.status, 0) AS status, nullif(d.verdict, 0) AS verdict, nullif(d.robots, 0) AS robots,
      d.count, d.value + d.value_billionths / 1e9 AS value, d.bytes, d.duration_ms
    FROM by_day d
    JOIN site s ON s.number = d.site
    JOIN subject n ON n.id = d.subject;
`

/**
 * Opens the file, creates the tables if they are missing, and closes it. Several processes may do this at once.
 * Throws an Error with a message for the operator when the folder or the file has data of another version.
 */
export function createSchema(file: string): void {
  refuseOtherDatabases(file)
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs })
  try {
    if (isCreated(database, file)) return
    // This setting only works before the first table exists. Another process may be creating the tables at the same time.
    database.exec('PRAGMA auto_vacuum = INCREMENTAL')
    // With WAL, readers never wait for the writer. The file keeps this setting.
    retryWhileBusy(() => database.exec('PRAGMA journal_mode = WAL'), busyTimeoutMs)
    database.exec('BEGIN IMMEDIATE')
    if (isCreated(database, file)) return
    for (const sql of [accountTables, loginTables, eventTables, rollUpTables, recordingTables, views])
      database.exec(sql)
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}; COMMIT`)
  } finally {
    database.close()
  }
}

/** Marks the files of Pugmark: "Pug!" in ASCII. */
const applicationId = 0x50756721

/** False when the file is empty. Throws when it has another schema. One statement reads it all, as another process may be creating it. */
function isCreated(database: DatabaseSync, file: string): boolean {
  const { application, version, tables, chunks } = database
    .prepare(
      `SELECT (SELECT application_id FROM pragma_application_id) AS application, (SELECT user_version FROM pragma_user_version) AS version,
         count(*) AS tables, total(name = 'chunk') AS chunks FROM sqlite_schema`,
    )
    .get()!
  if (tables === 0) return false
  if (application === applicationId && version === schemaVersion) return true
  if (chunks) throw new Error(`${file} holds data of a version before the first release, ${elsewhere}`)
  if (application !== applicationId) throw new Error(`${file} holds data of another program, ${elsewhere}`)
  throw new Error(
    `${file} has schema version ${version}; this Pugmark knows ${schemaVersion}. Use the Pugmark that wrote it.`,
  )
}

/** Throws when the folder has a database of the time before the first release, when the product and its file had another name. */
function refuseOtherDatabases(file: string): void {
  const folder = dirname(file)
  const names = readdirSync(folder)
  if (names.includes(basename(file))) return
  const older = names.filter(name => name.endsWith('.db')).find(name => holdsOlderData(join(folder, name)))
  if (older)
    throw new Error(`${join(folder, older)} holds data of a version before the first release, ${elsewhere}`)
}

/** False for the file of another program and for a file that is not a database. */
function holdsOlderData(file: string): boolean {
  try {
    const database = new DatabaseSync(file, { readOnly: true })
    const found = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'chunk'").get()
    database.close()
    return found !== undefined
  } catch {
    return false
  }
}

const elsewhere = 'which this version does not read. Move it away, or name another folder in PUGMARK_DATA.'
