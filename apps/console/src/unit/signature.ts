// The name under which a person decides, for the journal; kept for this tab. Who proved itself is the token's matter.
import { useState } from 'preact/hooks'
import { useUnit } from './unit.ts'

const key = 'gatehouse-name'

export interface Signature {
  readonly name: string
  readonly set: (name: string) => void
  /** As the gateway takes it. */
  readonly label: string
}

export const useSignature = (): Signature => {
  const { status } = useUnit()
  const [name, setName] = useState(() => sessionStorage.getItem(key) ?? '')
  const known = name.trim() === '' ? (status?.principal.name ?? 'operator') : name.trim()
  return {
    name,
    set: (next) => {
      sessionStorage.setItem(key, next)
      setName(next)
    },
    label: `console:${known}`,
  }
}
