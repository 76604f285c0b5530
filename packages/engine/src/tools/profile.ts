// The system call filter of tool servers: our own list of agents, and what the first process of a container needs beside it.
import { writeFile } from 'node:fs/promises'
import * as v from 'valibot'
import type { Engine } from '../container/engine.ts'
import { watches } from '../seccomp/calls.ts'
import { renderOci } from '../seccomp/to-oci.ts'

const Profile = v.looseObject({ syscalls: v.array(v.looseObject({ names: v.array(v.string()), action: v.string() })) })

/** It puts the server into a process group of its own, and offers it a terminal, where there is none. */
const TIOCSPGRP = 0x5410
const forInit = [
  { names: ['setpgid', 'setsid'], action: 'SCMP_ACT_ALLOW' },
  { names: ['ioctl'], action: 'SCMP_ACT_ALLOW', args: [{ index: 1, value: TIOCSPGRP, valueTwo: 0, op: 'SCMP_CMP_EQ' }] },
]

/** A person approved the server, and many of them watch their files. */
const forServers = Object.keys(watches)

/**
 * An old gVisor answers EPERM where it should say that a call does not exist, and then no program can make a thread; its own
 * kernel does not know this call, so there it may be asked.
 */
const passedOf = ({ gvisor }: Pick<Engine, 'gvisor'>): string[] => [...forServers, ...(gvisor ? ['clone3'] : [])]

const renderToolProfile = (engine: Pick<Engine, 'gvisor'>): object => {
  const { syscalls, ...rest } = v.parse(Profile, renderOci({ passed: passedOf(engine) }))
  return { ...rest, syscalls: [...syscalls, ...forInit] }
}

export const writeToolProfile = (path: string, engine: Pick<Engine, 'gvisor'>): Promise<void> =>
  writeFile(path, `${JSON.stringify(renderToolProfile(engine))}\n`, { mode: 0o644 })
