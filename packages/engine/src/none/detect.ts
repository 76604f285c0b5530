// The driver of last resort is always there, since it is the Node that runs this.
import { findProgram } from '@gatehouse/kernel'
import type { ChooseOptions, Choice } from '../choice.ts'
import { createNone } from './driver.ts'

export const detectNone = async ({ agent, log }: ChooseOptions): Promise<Choice> => {
  log.warn('sandbox driver `none`: agents run as plain processes of this user, with its network; for trying things out alone')
  return { driver: createNone({ node: process.execPath, agent, setpriv: await findProgram('setpriv') }) }
}
