/** The schemas of the catalogue files. The types derive from them, and a test checks the files against them. */
import Type, { type Static } from 'typebox'

const strict = { additionalProperties: false }
const Text = Type.String({ minLength: 1 })
const Address = Type.String({ pattern: '^https?://' })

/** In lower case, like parsed hosts, without port and trailing dot. */
const Host = Type.String({ pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+$' })

/** Begins with a letter or digit, because bot-names.ts finds a token by its first word. */
const Token = Type.String({ pattern: '^[A-Za-z0-9][ -~]*$' })

export const BotPurpose = Type.Union([
  Type.Literal('training'),
  Type.Literal('search'),
  Type.Literal('assistant'),
  Type.Literal('agent'),
  Type.Literal('dataset'),
  Type.Literal('other'),
])
export type BotPurpose = Static<typeof BotPurpose>

export const BotEntry = Type.Object(
  {
    name: Text,
    company: Text,
    /** Product token in the user agent; null when the user agent looks like that of a browser. */
    token: Type.Union([Token, Type.Null()]),
    /** If one of these tokens is also present, this entry does not match. */
    notToken: Type.Optional(Type.Array(Token, { minItems: 1 })),
    /** `robots-only`: a name for robots.txt only. `signature-only`: recognized by Web Bot Auth only. Absent: recognized by its token. */
    match: Type.Optional(Type.Union([Type.Literal('robots-only'), Type.Literal('signature-only')])),
    purpose: BotPurpose,
    docs: Type.Union([Address, Type.Null()]),
    ipRanges: Type.Array(Address),
    ipPages: Type.Optional(Type.Array(Address)),
    /** Endings of host names that the vendor's addresses resolve to, with the leading dot. */
    reverseDns: Type.Array(Type.String({ pattern: '^\\.' })),
    /** Host of the key directory. */
    webBotAuth: Type.Union([Host, Type.Null()]),
    exampleUserAgents: Type.Array(Text),
    confidence: Type.Union([
      Type.Literal('vendor-documented'),
      Type.Literal('widely-listed'),
      Type.Literal('single-source'),
    ]),
    notes: Type.Optional(Type.String()),
  },
  strict,
)
export type BotEntry = Static<typeof BotEntry>

export const ReferrerCondition = Type.Object(
  {
    host: Host,
    /** For a host such as google.com, this includes google.fr, google.co.uk and google.com.br. */
    countryHosts: Type.Optional(Type.Literal(true)),
    /** Matches whole segments: in the referrer's path, a `/` or the end of the path must follow. */
    pathPrefix: Type.Optional(Type.String({ pattern: '^/.*[^/]$' })),
    query: Type.Optional(Type.Record(Type.String(), Type.String())),
    note: Type.Optional(Type.String()),
  },
  { ...strict, minProperties: 2 },
)
export type ReferrerCondition = Static<typeof ReferrerCondition>

export const ReferrerSource = Type.Object(
  {
    source: Text,
    company: Text,
    aliases: Type.Optional(Type.Array(Text)),
    hosts: Type.Array(Host),
    subdomains: Type.Optional(Type.Literal(true)),
    notHosts: Type.Optional(Type.Array(Host)),
    conditions: Type.Optional(Type.Array(ReferrerCondition)),
    utmSources: Type.Array(Type.String({ pattern: '^[a-z0-9.-]+$' })),
    /** Other marks on the landing URL: parameter and value. */
    queryParams: Type.Optional(Type.Record(Type.String(), Type.String())),
    androidApps: Type.Array(Type.String({ pattern: '^android-app://[a-z0-9_]+(\\.[a-z0-9_]+)+$' })),
    confidence: Type.Union([
      Type.Literal('vendor-observed'),
      Type.Literal('widely-listed'),
      Type.Literal('single-source'),
      Type.Literal('from-memory'),
    ]),
    notes: Type.String(),
  },
  strict,
)
export type ReferrerSource = Static<typeof ReferrerSource>
