// Tool servers in containers, started and stopped at the broker's request.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  type ContainerOrder,
  type ContainerStart,
  isServiceError,
  type RunnerBoot,
  type runnerBroker,
  type ServerImage,
} from '@gatehouse/contracts'
import type { ToolEngine, ToolOrder } from '@gatehouse/engine'
import type { Logger } from '@gatehouse/kernel'
import type { Handlers } from '@gatehouse/rpc'
import { ContainerRefused } from '../errors.ts'
import { type Door, openDoor } from './door.ts'
import type { ReadyEngine, Engagement } from './engage.ts'
import { assertGivable, dataMount, resolveImage, toMounts } from './mounts.ts'

type Place = NonNullable<RunnerBoot['toolContainers']>
type Run = ReturnType<ToolEngine['run']>

export interface ToolContainersOptions {
  readonly boot: Pick<RunnerBoot, 'unitId' | 'stateDir' | 'runDir' | 'halves'>
  readonly place: Place
  readonly engagement: Engagement
  readonly log: Logger
}

interface Running {
  readonly broker: string
  readonly door: Door
  readonly engine: ToolEngine
  run?: Run
  /** Exit code of the engine's client. */
  readonly ended: Promise<number | null>
}

/** Ends that are remembered for a broker that asks late. */
const remembered = 256

/** An engine that does not answer now is none. */
const toRefused = (error: unknown): ContainerRefused => {
  if (error instanceof ContainerRefused) return error
  if (isServiceError(error) && error.code === 'no-sandbox') return new ContainerRefused('no-engine', error.detail)
  throw error
}

/** Where the doors lie, below the runtime directory. */
export const doorDirectory = 'tool-servers'

/** For people who list containers: what tells one from another stands behind it. */
const inName = (server: string): string =>
  server
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '-')
    .slice(0, 40)

export class ToolContainers {
  readonly #options: ToolContainersOptions
  readonly #running = new Map<string, Running>()
  readonly #codes = new Map<string, number | null>()
  #broker: string | undefined
  #wasWanted = false
  #isClosed = false

  constructor(options: ToolContainersOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#running.size
  }

  /** What runs them, as far as that is known. */
  get engaged(): ReadyEngine | undefined {
    return this.#options.engagement.current()
  }

  /** Why nothing can be started, once somebody wanted something to be. */
  get fault(): string | undefined {
    const engaged = this.engaged
    return this.#wasWanted && engaged !== undefined && 'refused' in engaged ? engaged.refused : undefined
  }

  readonly handlers: Handlers<typeof runnerBroker> = {
    begin: async ({ broker }) => (await this.#begin(broker), {}),
    start: (order) => this.#start(order),
    stop: async ({ container }) => (await this.#stop(container), {}),
    ended: async ({ container }) => ({
      code: (await this.#running.get(container)?.ended) ?? this.#codes.get(container) ?? null,
    }),
  }

  /** What each reference names on this host. */
  async sight(images: readonly string[]): Promise<{ image: string; id?: string }[]> {
    const engaged = await this.#options.engagement.engaged()
    const find = async (image: string): Promise<{ image: string; id?: string }> => {
      const id = 'refused' in engaged ? null : await engaged.engine.findImage(image).catch(() => null)
      return id === null ? { image } : { image, id }
    }
    return Promise.all(images.map(find))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#endThose(() => true)
  }

  /** Requests of a disconnected broker are dropped. */
  async #begin(broker: string): Promise<void> {
    this.#broker = broker
    await this.#endThose((one) => one.broker !== broker)
  }

  async #endThose(which: (running: Running) => boolean): Promise<void> {
    const names = [...this.#running].filter(([, running]) => which(running)).map(([name]) => name)
    await Promise.all(names.map((name) => this.#stop(name)))
  }

  async #start(order: ContainerOrder): Promise<ContainerStart> {
    const { log } = this.#options
    this.#wasWanted = true
    if (order.broker !== this.#broker) await this.#begin(order.broker)
    try {
      return await this.#prepare(order)
    } catch (error) {
      const { reason, message: detail } = toRefused(error)
      log.warn('could not start a tool server in a container', { server: order.server, reason, detail })
      return { started: false, reason, detail }
    }
  }

  async #prepare(order: ContainerOrder): Promise<ContainerStart> {
    const engaged = await this.#options.engagement.engaged()
    if ('refused' in engaged) throw new ContainerRefused('no-engine', engaged.refused)
    const { engine, profile } = engaged
    assertGivable(order.env)
    const image = await resolveImage(engine, { order, fallback: this.#options.place.image })
    const { unitId } = this.#options.boot
    const name = `gatehouse-tool-${unitId.slice(0, 8)}-${inName(order.server)}-${randomBytes(4).toString('hex')}`
    const { command, args, env } = order
    const toolOrder = { name, unitId, image: image.id, command, args, env, mounts: await this.#mounts(order, engine), profile }
    return this.#open(toolOrder, { engine, image, broker: order.broker })
  }

  async #mounts({ volumes, data, server, session }: ContainerOrder, engine: ToolEngine): Promise<ToolOrder['mounts']> {
    const { place, boot } = this.#options
    const lent = await toMounts(volumes, place)
    return data ? [...lent, await dataMount(boot.stateDir, { server, session }, engine)] : lent
  }

  async #open(order: ToolOrder, by: { engine: ToolEngine; image: ServerImage; broker: string }): Promise<ContainerStart> {
    const { runDir, halves } = this.#options.boot
    const path = join(runDir, doorDirectory, `${randomBytes(8).toString('hex')}.sock`)
    const door = await openDoor(path, halves === undefined ? 0o600 : 0o660)
    const { name: container } = order
    const running: Running = { broker: by.broker, engine: by.engine, door, ended: this.#run(order, by.engine, door) }
    this.#running.set(container, running)
    void running.ended.then((code) => this.#over(container, code))
    // The unit ends, or another broker has begun, while this was prepared.
    if (this.#isClosed || by.broker !== this.#broker) door.close()
    return { started: true, container, socket: door.path, image: by.image }
  }

  async #run(order: ToolOrder, engine: ToolEngine, door: Door): Promise<number | null> {
    const streams = await door.streams
    const running = this.#running.get(order.name)
    if (streams === undefined || running === undefined) return null
    try {
      running.run = engine.run(order, streams)
    } catch (error) {
      // The engine's client is gone, or no process can be made: the broker sees its streams end, and tries again.
      streams.messages.destroy()
      streams.errors.destroy()
      this.#options.log.warn('could not run a tool server in a container', { container: order.name, error })
      return null
    }
    return running.run.exited
  }

  #over(container: string, code: number | null): void {
    this.#running.delete(container)
    this.#codes.set(container, code)
    const [oldest] = this.#codes.keys()
    if (this.#codes.size > remembered && oldest !== undefined) this.#codes.delete(oldest)
    this.#options.log.debug('tool server in a container ended', { container, code })
  }

  async #stop(container: string): Promise<void> {
    const running = this.#running.get(container)
    if (running === undefined) return
    running.door.close()
    if (running.run !== undefined) await running.engine.end(container, running.run)
    await running.ended
  }
}
