// How often each group calls tools: within any minute, over all its sessions. Kept in memory: a restart of the gateway forgets it.
import { createWindow, type Window } from '@gatehouse/kernel'

export interface CallRates {
  /** Milliseconds until the group may call once more under this maximum; 0 when it may now. */
  wait(agentGroupID: string, max: number): number
  add(agentGroupID: string): void
  /** The group is gone. */
  forget(agentGroupID: string): void
}

/** @param now milliseconds, monotonic */
export const createCallRates = (now: (() => number) | undefined): CallRates => {
  const windows = new Map<string, Window>()
  const windowOf = (agentGroupID: string): Window => {
    const window = windows.get(agentGroupID) ?? createWindow(now === undefined ? {} : { now })
    windows.set(agentGroupID, window)
    return window
  }
  return {
    wait: (agentGroupID, max) => windowOf(agentGroupID).wait(max),
    add: (agentGroupID) => windowOf(agentGroupID).add(),
    forget: (agentGroupID) => void windows.delete(agentGroupID),
  }
}
