// Every key that does something here and now.
import { useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { allShortcuts, shortcutsAreOn, turnShortcuts } from './shortcuts.ts'

export const HelpSheet = ({ close }: { readonly close: () => void }) => {
  const [on, setOn] = useState(shortcutsAreOn)
  return (
    <Dialog title="Keys" close={close}>
      <dl class="keys">
        {allShortcuts().map(({ keys, label }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <p class="soft">Tab and Shift Tab go everywhere, Enter presses, Escape closes. Keys do nothing while you type into a field.</p>
      <label class="choice">
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => {
            turnShortcuts(event.currentTarget.checked)
            setOn(event.currentTarget.checked)
          }}
        />{' '}
        Single keys do something
      </label>
    </Dialog>
  )
}
