// What the supervisor may ask of the queues while it takes a backup.
import type { runnerBackup } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import type { Hold } from './hold.ts'

export const backupDoor = (hold: Hold): Handlers<typeof runnerBackup> => ({
  touched: () => ({ sessions: hold.takeTouched() }),
  hold: async () => ({ hold: await hold.hold(), sessions: hold.takeTouched() }),
  release: (params) => ({ still: hold.release(params.hold) }),
})
