// Takes out of the OpenAPI document of a Kubernetes release what the kinds of the chart need, strict and without words.
import * as v from 'valibot'

interface Schema {
  readonly [key: string]: unknown
}

const Record = v.record(v.string(), v.unknown())
const Group = v.object({ group: v.string(), version: v.string(), kind: v.string() })
const Definition = v.looseObject({ 'x-kubernetes-group-version-kind': v.optional(v.array(Group)) })
const Swagger = v.object({ info: v.object({ version: v.string() }), definitions: v.record(v.string(), Definition) })

/** What the chart makes, as `apiVersion kind`. */
const wanted: ReadonlySet<string> = new Set([
  'v1 ConfigMap',
  'v1 PersistentVolumeClaim',
  'v1 Pod',
  'v1 Service',
  'v1 ServiceAccount',
  'apps/v1 StatefulSet',
  'networking.k8s.io/v1 Ingress',
  'networking.k8s.io/v1 NetworkPolicy',
])

/** Both are strings in the document, and numbers too in the API. */
const alsoNumbers: ReadonlySet<string> = new Set([
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  'io.k8s.apimachinery.pkg.api.resource.Quantity',
])

const strict = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(strict)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(
    ([key, value]) => !key.startsWith('x-') && !(key === 'description' && typeof value === 'string'),
  )
  const cleaned: Schema = Object.fromEntries(kept.map(([key, value]) => [key, strict(value)]))
  const closed = 'properties' in cleaned && !('additionalProperties' in cleaned)
  return closed ? { ...cleaned, additionalProperties: false } : cleaned
}

const referencesIn = (schema: unknown): string[] =>
  [...JSON.stringify(schema).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)].map(([, name = '']) => name)

/** A chart never says the state of an object. */
const withoutStatus = (schema: Schema): Schema => {
  const properties = v.safeParse(Record, schema['properties'])
  if (!properties.success) return schema
  const { status: _, ...rest } = properties.output
  return { ...schema, properties: rest }
}

const close = (name: string, definitions: Readonly<Record<string, Schema>>, into: Map<string, unknown>): void => {
  if (into.has(name)) return
  const cleaned = strict(withoutStatus(definitions[name] ?? {}))
  into.set(name, alsoNumbers.has(name) ? { type: ['string', 'number'] } : cleaned)
  for (const next of referencesIn(cleaned)) close(next, definitions, into)
}

export interface Definitions {
  readonly version: string
  /** The name of its definition, by `apiVersion kind`. */
  readonly kinds: Readonly<Record<string, string>>
  readonly definitions: Readonly<Record<string, unknown>>
}

/** `document` is api/openapi-spec/swagger.json of a release. */
export const takeDefinitions = (document: unknown): Definitions => {
  const { info, definitions } = v.parse(Swagger, document)
  const kinds = Object.entries(definitions).flatMap(([name, { 'x-kubernetes-group-version-kind': groups = [] }]) =>
    groups
      .map(({ group, version, kind }): [string, string] => [`${group === '' ? '' : `${group}/`}${version} ${kind}`, name])
      .filter(([spelt]) => wanted.has(spelt)),
  )
  const found = new Map<string, unknown>()
  for (const [, name] of kinds) close(name, definitions, found)
  return {
    version: info.version,
    kinds: Object.fromEntries(kinds),
    definitions: Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** `crd` is a CustomResourceDefinition; gives its schemas by `apiVersion kind`. */
export const takeCustom = (crd: unknown): Record<string, unknown> => {
  const { group, names, versions } = v.parse(Custom, crd).spec
  return Object.fromEntries(
    versions.map(({ name, schema }) => [`${group}/${name} ${names.kind}`, strict(withMetadata(withoutStatus(schema.openAPIV3Schema)))]),
  )
}

const Custom = v.object({
  spec: v.object({
    group: v.string(),
    names: v.object({ kind: v.string() }),
    versions: v.array(v.object({ name: v.string(), schema: v.object({ openAPIV3Schema: Record }) })),
  }),
})

const withMetadata = (schema: Schema): Schema => ({
  ...schema,
  properties: { ...v.parse(Record, schema['properties']), metadata: { type: 'object' } },
})
