// Entry of the console: puts the application on the page.
// What pages have of their own goes over this.
import { render } from 'preact'
import { App } from './app.tsx'
import { createSession } from './session/session.ts'
import './styles/base.css'
import './styles/controls.css'
import './styles/decide.css'
import './styles/fonts.css'
import './styles/parts.css'
import './styles/shell.css'
import './styles/tokens.css'
import { applyTheme, readTheme } from './theme/theme.ts'

const place = document.querySelector('#app')
if (place === null) throw new Error('the page has no #app')
applyTheme(readTheme())
place.replaceChildren()
render(<App session={createSession()} />, place)
