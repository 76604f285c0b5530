// The borders at which a stranger sends JSON, each with an act that sends one document of a shape, and the neighbours that may feel it.
import { join } from 'node:path'
import { jsonBounds } from '@gatehouse/contracts'
import type { Unit } from '@gatehouse/end-to-end'
import { type Ask, overHttp } from '../broker/over-http.ts'
import { jsonShapes, type Size } from '@gatehouse/end-to-end/json-shapes'

type Act = () => Promise<unknown>

export interface Border {
  readonly name: string
  /** Whose calls may feel it. */
  readonly neighbour: 'tools' | 'model' | 'session' | 'api'
  /** The process that reads the document. */
  readonly process: 'broker' | 'model-proxy' | 'runner' | 'control-plane'
  send(shape: string): Act
}

export interface Places {
  readonly unit: Unit
  /** Of the session that sends. */
  readonly toolsSocket: string
  readonly modelSocket: string
  readonly sessionSocket: string
}

/** How an act ends is no matter here. */
const anyway =
  (act: Act): Act =>
  () =>
    act().catch(() => undefined)

const textOf = (shape: string, size: Size): string => jsonShapes[shape]?.(size) ?? '""'

const sizeOf = ({ bytes, values }: { bytes: number; values: number }): Size => ({ bytes: bytes - 1024, values: values - 100 })

const through = (ask: Ask, body: string): Act => anyway(() => ask({ body }))

const completion = (content: string, more = ''): string => `{"model":"m","messages":[{"role":"user","content":${content}}]${more}}`

export const modelPath = '/compatible/v1/chat/completions'

export const bordersOf = ({ unit, toolsSocket, modelSocket, sessionSocket }: Places): readonly Border[] => {
  const call = overHttp({ socketPath: toolsSocket, path: '/call' })
  const model = overHttp({ socketPath: modelSocket, path: modelPath })
  const change = overHttp({ socketPath: sessionSocket, path: '/changes' })
  const callServer = (server: string) => (shape: string) =>
    through(call, JSON.stringify({ name: `${server}__shape`, arguments: { shape } }))
  return [
    {
      name: 'a body of POST /call, 4 MiB',
      neighbour: 'tools',
      process: 'broker',
      send: (shape) => through(call, `{"name":"shapes__shape","arguments":{"more":${textOf(shape, sizeOf(jsonBounds.toolCall))}}}`),
    },
    { name: 'a line of a local tool server, 8 MiB', neighbour: 'tools', process: 'broker', send: callServer('shapes') },
    { name: 'an answer of a remote tool server, 8 MiB', neighbour: 'tools', process: 'broker', send: callServer('remote') },
    { name: 'an event of a remote tool server, 8 MiB', neighbour: 'tools', process: 'broker', send: callServer('events') },
    {
      name: 'a request on model.sock, 10 MiB',
      neighbour: 'model',
      process: 'model-proxy',
      send: (shape) => through(model, completion(textOf(shape, sizeOf(jsonBounds.modelRequest)))),
    },
    {
      name: 'a whole answer of a provider, 8 MiB',
      neighbour: 'model',
      process: 'model-proxy',
      send: (shape) => through(model, completion(`"shape ${shape};"`)),
    },
    {
      name: 'a counted event of a stream of a provider, 8 MiB',
      neighbour: 'model',
      process: 'model-proxy',
      send: (shape) => through(model, completion(`"shape ${shape};"`, ',"stream":true')),
    },
    {
      name: 'a request on session.sock, 1 MiB',
      neighbour: 'session',
      process: 'runner',
      send: (shape) => through(change, `{"kind":"persona","after":{"instructions":${textOf(shape, sizeOf(jsonBounds.sessionRequest))}}}`),
    },
    {
      name: 'a body of the admin API, 1 MiB',
      neighbour: 'api',
      process: 'control-plane',
      send: (shape) => {
        const body = `{"kind":"persona","agentGroupID":"dev-agent","after":{"instructions":${textOf(shape, sizeOf(jsonBounds.apiBody))}}}`
        const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
        return anyway(async () => (await fetch(`${unit.address}/v1/changes`, init)).text())
      },
    },
  ]
}

export const shapesServer = join(import.meta.dirname, 'server.ts')
