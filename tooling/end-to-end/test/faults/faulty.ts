// A process whose disk fails at the N-th call of a kind, and what is found on that disk afterwards.
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { stateFiles } from '@gatehouse/contracts'
import { formatKeyring } from '@gatehouse/kernel'
import { check } from '../../src/stores/check.ts'
import { openStores } from '../../src/stores/opened.ts'
import type { Said } from '../../src/stores/said.ts'

const { EIO, EMFILE, ENOSPC, EROFS } = constants.errno

export interface Fault {
  readonly kind: 'write' | 'sync' | 'rename' | 'open'
  readonly n: number
  /** `on`: and all that follow. `drop`: and says that it succeeded, which no honest disk does. */
  readonly mode: 'once' | 'on' | 'drop'
}

export interface Outcome {
  /** False where there were fewer such calls. */
  readonly fired: boolean
  /** The process ended, as a child of the unit may. */
  readonly ended: boolean
  readonly refused: readonly string[]
  /** Refused without a code, or lost. */
  readonly faults: readonly string[]
}

const errorOf = { write: ENOSPC, sync: EIO, rename: EROFS, open: EMFILE } as const

interface Answer {
  readonly refused: readonly string[]
  readonly unclean: readonly string[]
  /** False where something of it may still be open, and written to. */
  readonly isClosed: boolean
  readonly fired: boolean
}

export class Faulty {
  readonly root = mkdtempSync(join(tmpdir(), 'gatehouse-nth-'))
  readonly #base = join(this.root, 'base')
  readonly #dir = join(this.root, 'state')
  readonly #said = join(this.root, 'said')
  #process: Awaited<ReturnType<Faulty['start']>> | undefined

  /** Compiles what fails, and makes the state that each run begins with. */
  async prepare(): Promise<void> {
    const built = spawnSync('gcc', ['-shared', '-fPIC', '-o', join(this.root, 'nth.so'), join(import.meta.dirname, 'nth.c'), '-ldl'])
    if (built.status !== 0) throw new Error(String(built.stderr))
    mkdirSync(this.#base, { mode: 0o700 })
    const state = { schema: 1, installation: 'a'.repeat(32), mode: 'production' }
    writeFileSync(join(this.#base, stateFiles.state), JSON.stringify(state), { mode: 0o600 })
    writeFileSync(join(this.#base, stateFiles.keyring), formatKeyring([{ epoch: 1, key: randomBytes(32) }]), { mode: 0o600 })
    await (await openStores(this.#base)).close()
  }

  async run({ kind, n, mode }: Fault): Promise<Outcome> {
    // With its modes.
    spawnSync('cp', ['-a', this.#base, this.#dir])
    writeFileSync(this.#said, '')
    try {
      this.#process ??= await this.start()
      const answer = await this.#process.ask(`/nth/${kind}/${n}/${errorOf[kind]}/${mode} ${this.#dir} ${this.#said}`)
      if (answer?.isClosed !== true) {
        await this.#process.end()
        this.#process = undefined
      }
      const faults = [...(answer?.unclean ?? [])]
      await this.#look(mode).catch((error: unknown) => faults.push(String(error)))
      return { fired: answer?.fired ?? true, ended: answer === undefined, refused: answer?.refused ?? [], faults }
    } finally {
      rmSync(this.#dir, { recursive: true, force: true })
    }
  }

  /** What takes power away holds at once, and is written as soon as that can be: on a disk that stays broken never. */
  async #look(mode: Fault['mode']): Promise<void> {
    const all = readFileSync(this.#said, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Said)
    const said = mode === 'once' ? all : all.filter(({ to }) => to !== 'freeze' && to !== 'revoke')
    // The system went on: what the kernel was given is there.
    await check(this.#dir, { said, callsOnDisk: said.filter(({ to }) => to === 'call').length, group: 'g' })
  }

  private async start() {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'stores.ts')], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, LD_PRELOAD: join(this.root, 'nth.so'), NTH_BELOW: this.#dir },
    })
    const exited = once(child, 'exit')
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    /** Undefined for the end of the process. */
    const next = async (): Promise<Answer | undefined> => {
      const line = await lines.next()
      return line.done === true ? undefined : (JSON.parse(line.value) as Answer)
    }
    await next()
    return {
      ask: (line: string) => (child.stdin.write(`${line}\n`), next()),
      end: async () => (child.kill('SIGKILL'), void (await exited)),
    }
  }

  async close(): Promise<void> {
    await this.#process?.end()
    rmSync(this.root, { recursive: true, force: true })
  }
}
