// svcctl files ls
import { FileItem } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import * as v from 'valibot'
import { readAllPages } from '../../connection/pages.ts'
import { locate } from '../../files/transfer.ts'
import { age } from '../../output/values.ts'
import { type Column, table } from '../../output/table.ts'
import { UnitCommand } from '../../unit-command.ts'

/** More is for programs, by pages of the API. */
const maxItems = 10_000

const sizeOf = ({ kind, size }: FileItem): string => (kind === 'file' ? String(size) : '-')

const columns: readonly Column<FileItem>[] = [
  { name: 'NAME', value: ({ name, kind }) => (kind === 'directory' ? `${name}/` : name), plain: ({ name }) => name, flexible: true },
  { name: 'KIND', value: ({ kind }) => kind },
  { name: 'SIZE', value: sizeOf },
  { name: 'AGE', value: ({ modifiedAt }) => age(modifiedAt), plain: ({ modifiedAt }) => modifiedAt, drop: 1 },
  { name: 'FETCHED', value: ({ readable }) => (readable ? 'yes' : 'no') },
]

export class FilesLs extends UnitCommand<FileItem[]> {
  static override summary = 'List the files in a directory of an agent group.'
  static override description =
    'Paths are those that the agent sees: /workspace or /memory, and below. Links are shown and never followed. FETCHED says whether svcctl files get can fetch it: a regular file with one name, of at most 10 MiB.'

  static override result = v.array(FileItem)
  static override examples = ['svcctl files ls dev-agent', 'svcctl files ls dev-agent /memory --json']

  static override args = {
    group: Args.string({ description: 'Agent group.', required: true }),
    path: Args.string({ description: 'Directory; default /workspace.', default: '/workspace' }),
  }

  async run(): Promise<FileItem[]> {
    const { args, flags } = await this.parse(FilesLs)
    const at = locate(args.path)
    const client = await this.connect(flags)
    const group = await this.resolveID('group', args.group)
    let truncated = false
    const items = await readAllPages(async (cursor) => {
      const page = await client.files.list(group, { ...at, cursor, limit: 200 })
      truncated ||= page.truncated === true
      return page
    }, maxItems)
    this.print(table(columns, items, process.stdout))
    if (items.length === 0) this.remark(`The directory is empty. Try: svcctl files put ${group} FILE`)
    if (truncated || items.length === maxItems) this.say('The list is incomplete: the directory holds more.')
    return items
  }
}
