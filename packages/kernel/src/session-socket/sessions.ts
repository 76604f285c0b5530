// Keeps one socket for each open session. It follows the gateway's events and lists the sessions again after each reconnect.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentGroupID, HostIdentity, SessionID, SurfaceName } from '@gatehouse/contracts'
import { createSerialQueue } from '../concurrency.ts'
import type { Logger } from '../log/logger.ts'
import { openSessionSocket, removeSocketDirectory, type SessionSocket } from './listen.ts'
import type { Serve } from './serve.ts'

/** An open session, as the gateway reports it. */
export interface OpenSession {
  readonly session: SessionID
  readonly agentGroupID: AgentGroupID
  /** The host identity of the sandbox; without one it runs as the unit itself. */
  readonly identity?: HostIdentity | undefined
}

/** `Caller` is the service's own representation of the session that a socket belongs to. */
export interface SessionsOptions<Caller> {
  readonly surface: SurfaceName
  readonly runDir: string
  /** True in a split unit, whose other half launches the sandboxes. */
  readonly isSplit?: boolean
  readonly callerOf: (session: OpenSession) => Caller
  readonly serve: Serve<Caller>
  /** Asks the gateway which sessions are open. */
  readonly sessions: () => Promise<readonly OpenSession[]>
  /** Reports to the gateway that a session's socket is served. */
  readonly report: (session: SessionID) => Promise<unknown>
  readonly log: Logger
}

export class Sessions<Caller> {
  readonly #options: SessionsOptions<Caller>
  readonly #open = new Map<SessionID, SessionSocket>()
  /** Runs one action at a time, in the order of the gateway's events. */
  readonly #next = createSerialQueue()

  constructor(options: SessionsOptions<Caller>) {
    this.#options = options
  }

  get size(): number {
    return this.#open.size
  }

  opened(session: OpenSession): Promise<void> {
    return this.#next(() => this.#serve(session))
  }

  closed(session: SessionID): Promise<void> {
    return this.#next(() => this.#end(session))
  }

  /** Opens missing sockets, closes those of ended sessions, reports each, and removes what an earlier process left. */
  synchronize(): Promise<void> {
    return this.#next(async () => {
      const sessions = await this.#options.sessions()
      const openIDs = new Set(sessions.map(({ session }) => session))
      for (const session of this.#open.keys()) if (!openIDs.has(session)) await this.#end(session)
      await this.#sweep(openIDs)
      for (const session of sessions) await this.#serve(session)
    })
  }

  close(): Promise<void> {
    const directory = this.#options.isSplit === true ? 'kept' : 'removed'
    return this.#next(async () => void (await Promise.all([...this.#open.keys()].map((session) => this.#end(session, directory)))))
  }

  /** A socket that cannot be served is not reported, so the session is not launched without it. */
  async #serve(session: OpenSession): Promise<void> {
    const { surface, report, log } = this.#options
    try {
      if (!this.#open.has(session.session)) this.#open.set(session.session, await this.#listen(session))
      await report(session.session)
    } catch (error) {
      log.error(`could not serve the ${surface} socket of a session`, { session: session.session, error })
    }
  }

  #listen(session: OpenSession): Promise<SessionSocket> {
    const { surface, runDir, isSplit, callerOf, serve } = this.#options
    const caller = callerOf(session)
    return openSessionSocket({
      surface,
      runDir,
      session: session.session,
      gid: session.identity?.gid,
      isSplit,
      serve: (request, response) => serve(caller, request, response),
    })
  }

  async #end(session: SessionID, directory: 'removed' | 'kept' = 'removed'): Promise<void> {
    const socket = this.#open.get(session)
    this.#open.delete(session)
    await socket?.close(directory)
  }

  async #sweep(openIDs: ReadonlySet<string>): Promise<void> {
    const root = join(this.#options.runDir, this.#options.surface)
    const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) if (entry.isDirectory() && !openIDs.has(entry.name)) await removeSocketDirectory(join(root, entry.name))
  }
}
