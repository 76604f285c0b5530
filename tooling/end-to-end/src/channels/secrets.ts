// Looks for credentials of channels wherever they must not be: what the unit prints, answers, keeps and tells its processes.
import { readFile } from 'node:fs/promises'
import { descendants } from '../descendants.ts'
import { request } from '../http.ts'
import { stateFiles } from '../state-files.ts'
import type { Unit } from '../unit.ts'

const encodings = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').slice(0, -4),
  Buffer.from(secret).toString('hex'),
]

interface Place {
  readonly name: string
  readonly bytes: Buffer
}

/** What is told to a process, as everybody of its uid can read it. */
export const toldTo = async (pid: number): Promise<Place[]> => {
  const names = ['environ', 'cmdline'].map((file) => `/proc/${pid}/${file}`)
  // A process that ended meanwhile tells nothing.
  return Promise.all(names.map(async (name) => ({ name, bytes: await readFile(name).catch(() => Buffer.alloc(0)) })))
}

const answersOf = async ({ address }: Unit): Promise<Place[]> => {
  const paths = ['/v1/channels', '/v1/status', '/v1/wirings', '/v1/audit', '/v1/openapi.json', '/metrics']
  return Promise.all(paths.map(async (name) => ({ name, bytes: Buffer.from((await request(address + name)).text) })))
}

export const placesWith = (places: readonly Place[], secrets: readonly string[]): string[] => {
  const needles = secrets.flatMap(encodings)
  return places.filter(({ bytes }) => needles.some((needle) => bytes.includes(needle))).map(({ name }) => name)
}

/** Names of the places that hold one. The environment of the supervisor does, since it was given so. */
export const secretsLeft = async (unit: Unit, secrets: readonly string[]): Promise<string[]> => {
  const files: Place[] = []
  for await (const { path, bytes } of stateFiles(unit)) files.push({ name: path, bytes: Buffer.from(bytes) })
  const told = await Promise.all((await descendants(unit.pid)).map(toldTo))
  const printed = { name: 'the log', bytes: Buffer.from(unit.lines.join('\n')) }
  return placesWith([printed, ...(await answersOf(unit)), ...files, ...told.flat()], secrets)
}
