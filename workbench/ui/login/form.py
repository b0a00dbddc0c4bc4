"""The two pages that are not Gradio's: the login form, and the question whether to log out."""

from html import escape
from string import Template
from typing import Final

_FRAME: Final = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title · Hermes Workbench</title>
<style>
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 15px/1.5 system-ui, sans-serif;
  background: light-dark(#fafafa, #18181b); color: light-dark(#27272a, #e4e4e7); }
main { width: min(320px, calc(100vw - 48px)); padding: 24px; border-radius: 8px;
  border: 1px solid light-dark(#e4e4e7, #3f3f46); background: light-dark(#fff, #27272a); }
h1 { margin: 0 0 4px; font-size: 18px; }
p { margin: 0 0 16px; color: light-dark(#52525b, #a1a1aa); }
p[role=alert] { color: light-dark(#b91c1c, #fca5a5); }
label { display: block; margin: 12px 0 4px; font-size: 13px; }
input { box-sizing: border-box; width: 100%; padding: 8px; font: inherit; color: inherit; background: transparent;
  border: 1px solid light-dark(#a1a1aa, #71717a); border-radius: 6px; }
button { margin-top: 20px; width: 100%; padding: 8px; font: inherit; font-weight: 600; cursor: pointer;
  color: light-dark(#fff, #18181b); background: light-dark(#18181b, #e4e4e7); border: 0; border-radius: 6px; }
:focus-visible { outline: 2px solid light-dark(#4338ca, #a5b4fc); outline-offset: 2px; }
</style>
</head>
<body><main>
<h1>Hermes Workbench</h1>
$content
</main></body>
</html>
""")
_LOGIN: Final = Template("""$message
<form method="post" action="$action">
<label for="username">Username</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Login</button>
</form>""")
_LOGOUT: Final = Template("""<p>Log out of this browser?</p>
<form method="post" action="$action"><button>Log out</button></form>""")


def login_page(action: str, problem: str = "") -> str:
    """The login form, as HTML.

    Args:
        action: Address that the form is sent to.
        problem: Why the last try failed; empty before the first.
    """
    message = f'<p role="alert">{escape(problem)}</p>' if problem else "<p>Log in to continue.</p>"
    return _FRAME.substitute(title="Login", content=_LOGIN.substitute(message=message, action=escape(action)))


def logout_page(action: str) -> str:
    """The question whether to log out, as HTML: a link alone must not do it."""
    return _FRAME.substitute(title="Log out", content=_LOGOUT.substitute(action=escape(action)))
