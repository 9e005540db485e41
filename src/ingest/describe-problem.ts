/** Puts a failed schema check into words: which field, what it must be. */
import type { Validator } from 'typebox/compile'

type Problem = ReturnType<Validator['Errors']>[number]

/** The first problem that tells most: unknown fields, then missing ones, then wrong values. `field` is "body" for the whole. */
export function describeProblem(
  problems: readonly Problem[],
  value: unknown,
): { field: string; problem: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { field: 'body', problem: 'it must be a JSON object' }
  }
  for (const { keyword, params } of problems) {
    const details = params as { additionalProperties?: string[]; requiredProperties?: string[] }
    if (keyword === 'additionalProperties' && details.additionalProperties?.[0] !== undefined) {
      return {
        field: details.additionalProperties[0].slice(0, 50),
        problem: 'there is no such field in an event of this kind',
      }
    }
    if (keyword === 'required' && details.requiredProperties?.[0] !== undefined) {
      return { field: details.requiredProperties[0], problem: 'it is missing' }
    }
  }
  const { instancePath, message } = problems.find(({ instancePath }) => instancePath !== '') ?? problems[0]!
  return { field: instancePath.slice(1).split('/')[0] || 'body', problem: `it ${message}` }
}
