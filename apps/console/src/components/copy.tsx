// A button that copies a text, such as an id, to the clipboard.
import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { notify } from './notices.tsx'

const shown = 1_500

export const CopyButton = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [done, setDone] = useState(false)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setDone(true)
      setTimeout(() => setDone(false), shown)
    } catch {
      notify('The browser does not allow access to the clipboard.')
    }
  }
  return (
    <button type="button" class="bare copy" title={label} aria-label={label} onClick={() => void copy()}>
      <Icon name={done ? 'done' : 'copy'} />
    </button>
  )
}
