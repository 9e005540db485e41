/** Shared by the formats with one JSON object on each line. */

export type JsonObject = Readonly<Record<string, unknown>>

/** The object in a line, or null. */
export function parseJsonObject(line: string): JsonObject | null {
  if (!line.startsWith('{')) return null
  return parseObject(line) ?? parseObject(repairEscapes(line))
}

function parseObject(text: string): JsonObject | null {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * Without `escape=json` nginx writes `\xHH` also into a log_format that looks like JSON, where it is not allowed; an
 * even number of backslashes before it would make it a literal one.
 */
const repairEscapes = (line: string): string =>
  line.replace(/(?<!\\)((?:\\\\)*)\\x([0-9a-fA-F]{2})/g, '$1\\u00$2')

export const asObject = (value: unknown): JsonObject | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null

/** The text of a field; empty when it is missing, null or the `-` of a variable that was not set. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value === '-' ? '' : value
  return typeof value === 'number' ? String(value) : ''
}

/** The first of several fields that is there at all. */
export function firstOf(object: JsonObject, names: readonly string[]): unknown {
  for (const name of names) {
    const value = object[name]
    if (value !== undefined && value !== null && value !== '' && value !== '-') return value
  }
  return undefined
}
