// The question before every call, over the broker's edge, beside the same frames over bare birpc.
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createBirpc } from 'birpc'
import { execa } from 'execa'
import { type Figures, timed } from '../measure.ts'
import { channel } from './bare-birpc.ts'
import { prepare, startGateway } from './process.ts'

interface Answers {
  authorize(asked: object): object
}

const startBare = async (folder: string) => {
  const path = join(folder, 'bare.sock')
  const child = execa(process.execPath, [join(import.meta.dirname, 'bare-birpc.ts'), path], { reject: false })
  await once(child.stdout, 'data')
  const socket = connect(path)
  const peer = createBirpc<Answers>({}, channel(socket))
  return {
    act: (asked: object): Promise<unknown> => peer.authorize(asked),
    close: async () => {
      socket.destroy()
      child.kill()
      await child
    },
  }
}

export const measureAuthorize = async (folder: string) => {
  const gateway = await startGateway(join(folder, 'authorize'))
  const bare = await startBare(folder)
  try {
    const { id } = await prepare(gateway, 'bench')
    const asked = { session: id, server: 'sample', tool: 'echo' }
    const ways = [() => bare.act(asked), (): Promise<unknown> => gateway.broker.calls.authorize(asked)] as const
    const rows: [string, Figures][] = []
    const ratios: Record<number, number> = {}
    for (const way of ways) await timed(way, 20_000, 8)
    for (const many of [1, 64]) {
      const [plain, checked] = [await timed(ways[0], 20_000, many), await timed(ways[1], 20_000, many)]
      rows.push([`bare birpc, ${many} at once`, plain], [`authorize, ${many} at once`, checked])
      ratios[many] = checked.p50 / plain.p50
    }
    return { rows, ratios }
  } finally {
    await bare.close()
    await gateway.stop()
  }
}
