// Stores which names resolved to public addresses when their entries were saved: afterwards only public addresses are dialled for them.
import { lookup } from 'node:dns'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CatalogEntry, jsonBounds } from '@gatehouse/contracts'
import { createSerialQueue, type Logger, parseJson, writeAtomically } from '@gatehouse/kernel'
import { isPublicAddress, type Reach, type Resolve } from '@gatehouse/outbound'
import * as v from 'valibot'

export interface OriginsOptions {
  readonly stateDir: string
  readonly log: Logger
  /** Seam for tests. */
  readonly resolve?: Resolve | undefined
}

/** Not frozen: without it the names are judged again, as when they were saved. */
const fileName = 'mcp-origins.json'

const Remembered = v.record(v.string(), v.picklist(['any', 'public']))

const load = async (path: string): Promise<Map<string, Reach>> => {
  try {
    return new Map(Object.entries(v.parse(Remembered, parseJson(await readFile(path), jsonBounds.stateFile))))
  } catch {
    return new Map()
  }
}

export class Origins {
  readonly #options: OriginsOptions
  readonly #path: string
  readonly #known: Map<string, Reach>
  readonly #next = createSerialQueue()
  #isClosed = false

  private constructor(options: OriginsOptions, path: string, known: Map<string, Reach>) {
    this.#options = options
    this.#path = path
    this.#known = known
  }

  static async open(options: OriginsOptions): Promise<Origins> {
    const path = join(options.stateDir, fileName)
    return new Origins(options, path, await load(path))
  }

  /** The entry takes precedence over the stored result. A name that was never resolved is checked now. */
  async reachOf(entry: CatalogEntry): Promise<Reach> {
    if (entry.transport !== 'http') return 'any'
    return entry.reach ?? this.#known.get(entry.url) ?? (await this.#judge(entry.url))
  }

  /** Checks new names and removes those that are no longer in the catalog. */
  async synchronize(entries: readonly CatalogEntry[]): Promise<void> {
    const present = new Set(entries.map((entry) => (entry.transport === 'http' ? entry.url : undefined)))
    for (const url of this.#known.keys()) if (!present.has(url)) this.#known.delete(url)
    await Promise.allSettled(entries.map((entry) => this.reachOf(entry)))
  }

  /** Nothing is written from now on. */
  close(): Promise<void> {
    return this.#next(async () => void (this.#isClosed = true))
  }

  /** A name that does not resolve is checked when it resolves; until then nothing is dialled. */
  async #judge(url: string): Promise<Reach> {
    if (!URL.canParse(url)) return 'public'
    const addresses = await this.#resolve(new URL(url).hostname.replace(/^\[|\]$/g, ''))
    if (addresses.length === 0) return 'any'
    const known = this.#known.get(url) ?? (addresses.every(isPublicAddress) ? 'public' : 'any')
    this.#known.set(url, known)
    await this.#save()
    return known
  }

  #resolve(host: string): Promise<string[]> {
    const { resolve = lookup } = this.#options
    return new Promise((found) => {
      resolve(host, { all: true }, (error, addresses) => found(error === null ? addresses.map(({ address }) => address) : []))
    })
  }

  #save(): Promise<void> {
    return this.#next(async () => {
      if (this.#isClosed) return
      const text = JSON.stringify(Object.fromEntries(this.#known))
      await writeAtomically(this.#path, text).catch((error: unknown) =>
        this.#options.log.warn('could not save the address types of tool servers', { error }),
      )
    })
  }
}
