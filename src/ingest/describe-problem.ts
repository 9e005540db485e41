/** Describes a failed schema check: the field, what it must be, and what it was. */
import type { Validator } from 'typebox/compile'

type Problem = ReturnType<Validator['Errors']>[number]

const shownLengthMax = 50

/**
 * What describes the problem best: unknown fields, then missing ones, then the first wrong value. `field` is "body" for
 * a value that is no object at all.
 */
export function describeProblem(
  problems: readonly Problem[],
  value: unknown,
): { field: string; problem: string } {
  if (!isObject(value)) return { field: 'body', problem: `it must be a JSON object, got ${shown(value)}` }
  for (const { keyword, params } of problems) {
    const details = params as { additionalProperties?: string[]; requiredProperties?: string[] }
    if (keyword === 'additionalProperties' && details.additionalProperties?.[0] !== undefined) {
      return {
        field: details.additionalProperties[0].slice(0, shownLengthMax),
        problem: 'there is no such field in an event of this kind',
      }
    }
    if (keyword === 'required' && details.requiredProperties?.[0] !== undefined) {
      return { field: details.requiredProperties[0], problem: 'it is missing' }
    }
  }
  const first = problems.find(({ instancePath }) => instancePath !== '') ?? problems[0]!
  const field = first.instancePath.slice(1).split('/')[0]!
  return { field, problem: `it ${inWords(first)}, got ${shown(value[field])}` }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value as a caller recognises it, and never long: it may be most of 8 MiB. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'an array'
  if (isObject(value)) return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, shownLengthMax)) : String(value)
  return typeof value === 'string' && value.length > shownLengthMax ? `${text}…` : text
}

function inWords({ keyword, params, message }: Problem): string {
  if (keyword === 'pattern') {
    const { pattern } = params as { pattern: string | RegExp }
    return wordsOfPatterns[String(pattern)] ?? message
  }
  if (keyword === 'minLength') return 'must not be empty'
  return message.replace(/^must be (?=string|number|integer)/, word => `${word}of type `)
}

/** The patterns of sent-event.ts. */
const wordsOfPatterns: Readonly<Record<string, string>> = {
  '^/': 'must begin with /',
  '^[A-Za-z]{2}$': 'must be a country code of two letters, such as DE',
}
