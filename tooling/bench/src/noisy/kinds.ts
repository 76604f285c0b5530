// The neighbours that take all they can: a sandbox that burns its processor, its disk and its output, and a client that asks without
// a pause.
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Unit } from '@gatehouse/end-to-end'
import { execa } from 'execa'
import type { Noise } from '../by-turns.ts'

const endless = `import { writeFileSync } from 'node:fs'
for (let n = 0; ; n += 1) { writeFileSync('/workspace/noise', Buffer.alloc(4 << 20, n)); console.log('x'.repeat(65536)) }`

/** Its turn is cancelled at the end of the noise, and its sandbox goes with it. */
export const sandboxNoise =
  (unit: Unit): Noise =>
  async () => {
    const text = `tool:run_script ${JSON.stringify({ code: endless, timeoutMs: 60_000 })}`
    const { sessionId } = await unit.client.chat.send({ agentGroupID: 'dev-agent', conversationId: 'noisy', text })
    await pause(1_000)
    return async () => {
      await unit.client.sessions.cancel(sessionId).catch(() => undefined)
      await pause(500)
    }
  }

export interface NoisyClient {
  readonly noise: Noise
  /** How often it was answered what, in all. */
  readonly heard: Readonly<Record<string, number>>
  close(): Promise<void>
}

/** With a token of its own, for the longest list there is. */
export const startClient = async (unit: Unit): Promise<NoisyClient> => {
  const { token } = await unit.client.tokens.create({ name: 'noisy', role: 'auditor' })
  const child = execa(process.execPath, [join(import.meta.dirname, 'client.ts'), `${unit.address}/v1/changes/history?limit=200`], {
    env: { NOISY_TOKEN: token },
    buffer: false,
    reject: false,
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const heard: Record<string, number> = {}
  const noise: Noise = async () => {
    child.stdin.write('begin\n')
    return async () => {
      child.stdin.write('end\n')
      const { value } = await lines.next()
      for (const [status, times] of Object.entries(JSON.parse(String(value)) as Record<string, number>))
        heard[status] = (heard[status] ?? 0) + times
    }
  }
  return {
    noise,
    heard,
    close: async () => {
      child.stdin.end()
      await child
    },
  }
}

/** A loop that the kernel runs only while nobody else wants the processor: what no host can keep from the others. */
export const idleNoise: Noise = async () => {
  const loop = execa('chrt', ['--idle', '0', process.execPath, '-e', 'for (;;);'], { reject: false })
  return async () => {
    loop.kill('SIGKILL')
    const { isTerminated, shortMessage } = await loop
    if (!isTerminated) throw new Error(`expected a loop until it is ended, got: ${shortMessage}`)
  }
}
