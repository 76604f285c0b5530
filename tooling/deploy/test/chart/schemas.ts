// Checks objects against the schemas of Kubernetes releases and of the Prometheus Operator that lie in schemas/.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import * as v from 'valibot'
import type { KubernetesObject } from './objects.ts'

const folder = join(import.meta.dirname, '../../schemas')

const Schemas = v.object({ kinds: v.record(v.string(), v.string()), definitions: v.record(v.string(), v.record(v.string(), v.unknown())) })

/** The operator writes its patterns for Go, which has the flag inside. */
const regExp = Object.assign(
  (pattern: string, flags: string) => new RegExp(pattern.replace('(?i)', ''), pattern.includes('(?i)') ? `${flags}i` : flags),
  { code: 'new RegExp' },
)

export type Check = (object: KubernetesObject) => string[]

const validators = async (file: string): Promise<[string, ValidateFunction][]> => {
  const { kinds, definitions } = v.parse(Schemas, JSON.parse(await readFile(join(folder, file), 'utf8')))
  // Formats are sizes of numbers, which the API server checks when it reads them.
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, code: { regExp } })
  ajv.addSchema({ $id: file, definitions })
  return Object.entries(kinds).map(([kind, name]) => [kind, ajv.compile({ $ref: `${file}#/definitions/${encodeURIComponent(name)}` })])
}

/** By release, `1.25.16` and the newest; a kind without a schema is a fault. */
export const readChecks = async (): Promise<Map<string, Check>> => {
  const operator = await validators('prometheus-operator.json')
  const releases = (await readdir(folder)).filter((name) => name.startsWith('kubernetes-')).toSorted()
  return new Map(
    await Promise.all(
      releases.map(async (file): Promise<[string, Check]> => {
        const byKind = new Map([...(await validators(file)), ...operator])
        const check: Check = (object) => {
          const kind = `${object.apiVersion} ${object.kind}`
          const validate = byKind.get(kind)
          if (validate === undefined) return [`${kind}: there is no such kind`]
          if (validate(object)) return []
          return (validate.errors ?? []).map(
            ({ instancePath, message, params }) => `${kind}${instancePath}: ${message} ${JSON.stringify(params)}`,
          )
        }
        return [file.slice('kubernetes-'.length, -'.json'.length), check]
      }),
    ),
  )
}
