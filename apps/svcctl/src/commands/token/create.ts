// svcctl token create
import { randomBytes } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { AgentGroupID, channels, Member, Role, roles, ServiceError, Token } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import * as v from 'valibot'
import { quoted } from '../../doctor/check.ts'
import { timeFlag } from '../../input/time.ts'
import { UnitCommand } from '../../unit-command.ts'

/** A file for a secret that nobody has yet: made before the secret is, so that none is minted in vain. */
export interface SecretFile {
  readonly write: (secret: string) => Promise<void>
  /** Takes away what was made and never filled. */
  readonly discard: () => Promise<void>
}

/** The file itself, or one beside it where another secret may stand, which is good until the new one is there. */
const placeOf = async (path: string, force: boolean): Promise<string> => {
  if (!force) return path
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true) throw new Error(`${path} is a directory`)
  return `${path}.${randomBytes(4).toString('hex')}.part`
}

const move = async (place: string, path: string): Promise<void> => {
  if (place === path) return
  await rename(place, path).catch((cause: unknown) => {
    const detail = `expected to write over ${path}, it cannot be; the new secret stands in ${place}`
    throw new ServiceError('invalid', { detail, hint: `mv ${quoted(place)} ${quoted(path)}`, cause })
  })
}

/** Throws `conflict` where there is a file, unless it may be written over. */
const openSecretFile = async (path: string, force: boolean): Promise<SecretFile> => {
  try {
    const place = await placeOf(path, force)
    const file = await open(place, 'wx', 0o600)
    let isFilled = false
    return {
      write: async (secret) => {
        await file.writeFile(`${secret}\n`)
        await file.sync()
        isFilled = true
        await file.close()
        await move(place, path)
      },
      discard: async () => {
        await file.close().catch(() => undefined)
        if (!isFilled) await rm(place, { force: true })
      },
    }
  } catch (error) {
    const there = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new ServiceError(there ? 'conflict' : 'invalid', {
      detail: there ? `expected no file at ${path}, there is one` : `expected a place where a file can be made, ${path} is none`,
      hint: there ? 'choose another --file, or add --force' : 'choose another --file',
      cause: error,
    })
  }
}

/** The secret is in the answer only where it was not written to a file. */
const Minted = v.strictObject({ ...Token.entries, token: v.optional(v.string()) })
type Minted = v.InferOutput<typeof Minted>

/** The first colon parts them: a person may have more. */
const readIdentity = (text: string): Member => {
  const at = text.indexOf(':')
  const read = v.safeParse(Member, { channel: text.slice(0, at), user: text.slice(at + 1) })
  if (at > 0 && read.success) return read.output
  throw new ServiceError('invalid', {
    detail: `--identity: expected CHANNEL:USER with a channel of ${channels.join(', ')}, got ${JSON.stringify(text)}`,
    hint: '--identity slack:U012345',
  })
}

export class TokenCreate extends UnitCommand<Minted> {
  static override summary = 'Mint a named token, into a file of mode 0600.'
  static override description =
    'The secret is never shown again. Without --file it is printed, but not to a terminal, whose screen others may see.'
  static override result = Minted
  static override examples = [
    'svcctl token create alice --role approver --file alice.token',
    'svcctl token create kim --role approver --identity slack:U012345 --file kim.token',
    'svcctl token create reader --role auditor --group dev-agent --expires 2099-01-31T09:30:00Z --file reader.token --force',
  ]

  static override args = { name: Args.string({ description: 'Name of the token: who will act with it.', required: true }) }

  static override flags = {
    role: Flags.string({ summary: 'What it may do.', options: [...roles], required: true }),
    group: Flags.string({
      summary: 'Agent group that it is narrowed to; may be given several times.',
      helpValue: 'ID',
      multiple: true,
      multipleNonGreedy: true,
    }),
    identity: Flags.string({
      summary: 'Person of a channel whose decisions count as its own, such as slack:U012345; may be given several times.',
      helpValue: 'CHANNEL:USER',
      multiple: true,
      multipleNonGreedy: true,
    }),
    expires: timeFlag('End of the token, such as 30d or 2027-01-31.', { flag: '--expires', direction: 'future' }),
    file: Flags.string({ summary: 'File for the secret; must not be there yet.', helpValue: 'PATH' }),
    force: Flags.boolean({ summary: 'Write over the file.' }),
  }

  async run(): Promise<Minted> {
    const { args, flags } = await this.parse(TokenCreate)
    if (flags.file === undefined && this.toPeople) {
      throw new ServiceError('invalid', {
        detail: 'expected --file for the secret, since stdout is a terminal',
        hint: `svcctl token create ${args.name} --role ${flags.role} --file ${args.name}.token`,
      })
    }
    const file = flags.file === undefined ? undefined : await openSecretFile(flags.file, flags.force)
    try {
      const client = await this.connect(flags)
      const { token, ...minted } = await client.tokens.create({
        name: args.name,
        role: v.parse(Role, flags.role),
        ...(flags.group !== undefined && { groups: flags.group.map((id) => v.parse(AgentGroupID, id)) }),
        ...(flags.identity !== undefined && { identities: flags.identity.map(readIdentity) }),
        ...(flags.expires !== undefined && { expiresAt: flags.expires }),
      })
      if (file === undefined) this.print(token)
      else await file.write(token)
      return file === undefined ? { ...minted, token } : minted
    } catch (error) {
      await file?.discard()
      throw error
    }
  }
}
