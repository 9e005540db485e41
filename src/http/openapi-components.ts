/** Moves what the OpenAPI document repeats to its components: schemas with a title, headers, and examples of errors. */
import { isDeepStrictEqual } from 'node:util'

type Fields = Readonly<Record<string, unknown>>
type Components = Record<string, object>

interface Response {
  headers?: Components
  readonly content?: Readonly<Record<string, { examples?: Components }>>
}
interface Operation {
  parameters?: readonly Fields[]
  readonly responses: Readonly<Record<string, Response>>
}

export interface ApiDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: Readonly<Record<string, unknown>>
}

/**
 * A new document in which references replace the copies. What stands in a path must be described under `components.parameters`
 * already. Throws when one name stands for two different things.
 */
export function nameComponents<Document extends ApiDocument>(document: Document): Document {
  const schemas: Components = {}
  const headers: Components = {}
  const examples: Components = {}
  const paths = nameSchemas(document.paths, schemas) as NonNullable<ApiDocument['paths']>
  for (const operation of Object.values(paths).flatMap(methods => Object.values(methods))) {
    operation.parameters &&= operation.parameters.map(parameter =>
      parameter.in === 'path' ? { $ref: prefixOf('parameters') + parameter.name } : parameter,
    )
    for (const response of Object.values(operation.responses)) {
      response.headers &&= references(headers, 'headers', response.headers)
      for (const media of Object.values(response.content ?? {}))
        media.examples &&= references(examples, 'examples', media.examples)
    }
  }
  const named = { schemas, headers, examples }
  return { ...document, paths, components: { ...document.components, ...named } }
}

const references = (components: Components, kind: string, parts: Components): Components =>
  Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, reference(components, kind, name, part)]),
  )

function nameSchemas(value: unknown, schemas: Components): unknown {
  if (Array.isArray(value)) return value.map(item => nameSchemas(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  const fields: Fields = Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, nameSchemas(field, schemas)]),
  )
  const { title, ...schema } = withChoices(fields, schemas)
  // A title that is no text is a property of that name.
  return typeof title === 'string'
    ? reference(schemas, 'schemas', title, schema)
    : { ...schema, ...(title !== undefined && { title }) }
}

/** Texts to choose from become one `enum`; events, which their `type` tells apart, become one of several. */
function withChoices({ anyOf, ...rest }: Fields, schemas: Components): Fields {
  if (!Array.isArray(anyOf)) return { ...rest, ...(anyOf !== undefined && { anyOf }) }
  const members = anyOf as readonly Fields[]
  if (members.every(member => member.type === 'string' && member.enum !== undefined))
    return { ...rest, type: 'string', enum: members.flatMap(member => member.enum) }
  const types = members.map(member => typeIn(schemas, member.$ref))
  if (types.includes(undefined)) return { ...rest, anyOf }
  const mapping = Object.fromEntries(types.map((type, index) => [type, members[index]!.$ref]))
  return { ...rest, oneOf: anyOf, discriminator: { propertyName: 'type', mapping } }
}

/** The only value that `type` has in the schema that is referred to. */
function typeIn(schemas: Components, $ref: unknown): string | undefined {
  const schema = schemas[String($ref).slice(prefixOf('schemas').length)] as
    | { properties?: { type?: { enum?: readonly string[] } } }
    | undefined
  const values = schema?.properties?.type?.enum
  return values?.length === 1 ? values[0] : undefined
}

function reference(components: Components, kind: string, name: string, component: object): { $ref: string } {
  components[name] ??= component
  if (!isDeepStrictEqual(components[name], component))
    throw new Error(`OpenAPI: two different ${kind} are called ${name}`)
  return { $ref: prefixOf(kind) + name }
}

const prefixOf = (kind: string): string => `#/components/${kind}/`
