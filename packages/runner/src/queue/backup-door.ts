// What the supervisor may ask of the runner while it takes a backup.
import type { runnerBackup } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { openDisks } from '../groups/open-disks.ts'
import type { Context } from '../sessions/context.ts'

export const backupDoor = (context: Context): Handlers<typeof runnerBackup> => {
  const { hold } = context.shelf
  const { reading } = context.disks
  return {
    touched: () => ({ sessions: hold.takeTouched() }),
    hold: async () => ({ hold: await hold.hold(), sessions: hold.takeTouched() }),
    openDisks: () => openDisks(context),
    keepDisks: (params) => ({ still: reading.keep(params.reading) }),
    leaveDisks: (params) => {
      reading.end(params.reading)
      return {}
    },
    release: (params) => ({ still: hold.release(params.hold) }),
  }
}
