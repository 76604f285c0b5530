// Entry of the console: puts the application on the page.
// What pages have of their own goes over this.
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/decide.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { applyLook, readLook } from './look/look.ts'
import { createSession } from './session/session.ts'

const place = document.querySelector('#app')
if (place === null) throw new Error('the page has no #app')
applyLook(readLook())
place.replaceChildren()
render(<App session={createSession()} />, place)
