// A change from the call to its place on disk, beside one sync of as many bytes on the same file system.
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Figures, timed } from '../measure.ts'
import { prepare, startGateway, token } from './process.ts'

const callers = [1, 64] as const
/** About what one held change of a persona writes into the journal. */
const bytes = Buffer.alloc(1_400, 'x')

const syncs = async (folder: string, count: number): Promise<Figures> => {
  const path = join(folder, 'sync')
  await using file = await open(path, 'a', 0o600)
  const figures = await timed(
    async () => {
      await file.write(bytes)
      await file.datasync()
    },
    count,
    1,
  )
  await rm(path)
  return figures
}

export const measureSubmit = async (folder: string) => {
  const gateway = await startGateway(join(folder, 'submit'))
  try {
    await prepare(gateway, 'bench')
    let turn = 0
    const submit = (): Promise<unknown> => {
      turn += 1
      const submission = { kind: 'persona', agentGroupID: 'bench', after: { instructions: `Turn ${turn}: be brief and kind.` } }
      return gateway.controlPlane.calls.submit({ token, submission })
    }
    await timed(submit, 500, 16)
    const sync = await syncs(folder, 400)
    const rows: [string, Figures][] = [['one fsync of the same bytes', sync]]
    for (const many of callers)
      rows.push([`submit → held, ${many} caller${many === 1 ? '' : 's'}`, await timed(submit, many === 1 ? 400 : 8_000, many)])
    const after = await syncs(folder, 400)
    rows.push(['one fsync, once more', after])
    return { rows, fsyncs: (rows[1]?.[1].p50 ?? 0) / ((sync.p50 + after.p50) / 2), rate: rows[2]?.[1].rate ?? 0 }
  } finally {
    await gateway.stop()
  }
}
