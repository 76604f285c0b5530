// Below which host paths an approved mount may lie. Without any nothing of the host is ever mounted.
import { isAbsolute, resolve } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

/** Absolute paths, separated by colons or commas; `..` and trailing slashes are taken out. */
export const parseMountAllow = (text: string | undefined): string[] => {
  const parts = (text ?? '')
    .split(/[:,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const wrong = parts.find((part) => !isAbsolute(part) || part.includes('\0'))
  if (wrong === undefined) return [...new Set(parts.map((part) => resolve(part)))]
  throw new Refusal(exits.configuration, {
    detail: `SERVICE_MOUNT_ALLOW: expected absolute paths, got "${wrong}"`,
    hint: 'write them in full, separated by colons: SERVICE_MOUNT_ALLOW=/srv/data:/srv/reports',
  })
}
