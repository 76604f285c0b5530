// The logins on disk, each sealed for its server with a key of this process alone. What cannot be opened is no login.
import { readFile } from 'node:fs/promises'
import { type BrokerBoot, jsonBounds, type ServerName } from '@gatehouse/contracts'
import { createSerialQueue, ifPresent, jsonText, type Logger, parseJson, writeAtomically } from '@gatehouse/kernel'
import { openSealedKey, sealKey } from '@gatehouse/store/seal'
import * as v from 'valibot'
import { Login } from './login.ts'

export const loginsFile = 'mcp-logins.json'

const Sealed = v.record(v.string(), v.string())
const LoginText = v.pipe(jsonText(jsonBounds.stateFile), Login)

const contextOf = (name: string): string => `login ${name}`

const open = (keys: readonly Buffer[], name: string, sealed: string): Login | undefined => {
  for (const key of keys) {
    try {
      return v.parse(LoginText, openSealedKey(key, contextOf(name), sealed).toString('utf8'))
    } catch {
      // Sealed under another epoch, or not by this unit.
    }
  }
  return undefined
}

export interface LoginStoreOptions {
  readonly path: string
  readonly keys: BrokerBoot['keys']
  readonly log: Logger
}

const readSealed = async ({ path, log }: LoginStoreOptions): Promise<Record<string, string>> => {
  try {
    const text = await ifPresent(readFile(path))
    return text === undefined ? {} : v.parse(Sealed, parseJson(text, jsonBounds.stateFile))
  } catch (error) {
    log.error('the logins at tool servers cannot be read: each has to be made again', { error })
    return {}
  }
}

export class LoginStore {
  readonly #options: LoginStoreOptions
  readonly #key: Buffer
  readonly #logins = new Map<string, Login>()
  readonly #next = createSerialQueue()

  private constructor(options: LoginStoreOptions) {
    this.#options = options
    this.#key = Buffer.from(options.keys.logins, 'hex')
  }

  static async open(options: LoginStoreOptions): Promise<LoginStore> {
    const store = new LoginStore(options)
    const keys = [options.keys.logins, ...options.keys.formerLogins.toReversed()].map((key) => Buffer.from(key, 'hex'))
    for (const [name, sealed] of Object.entries(await readSealed(options))) {
      const login = open(keys, name, sealed)
      if (login === undefined) options.log.warn('a login at a tool server cannot be opened: it has to be made again', { server: name })
      else store.#logins.set(name, login)
    }
    return store
  }

  get(name: ServerName): Login | undefined {
    return this.#logins.get(name)
  }

  names(): string[] {
    return [...this.#logins.keys()]
  }

  all(): Login[] {
    return [...this.#logins.values()]
  }

  /** It is known at once, and on disk when it resolves. */
  put(name: ServerName, login: Login): Promise<void> {
    this.#logins.set(name, login)
    return this.#save()
  }

  async remove(name: string): Promise<void> {
    if (this.#logins.delete(name)) await this.#save()
  }

  /** What was asked to be written is written. */
  close(): Promise<void> {
    return this.#next(async () => undefined)
  }

  #save(): Promise<void> {
    return this.#next(async () => {
      const sealed = [...this.#logins].map(([name, login]) => [
        name,
        sealKey(this.#key, contextOf(name), Buffer.from(JSON.stringify(login))),
      ])
      await writeAtomically(this.#options.path, `${JSON.stringify(Object.fromEntries(sealed))}\n`)
    })
  }
}
