"""A report as one HTML file that loads nothing from any network."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final

from workbench.suite.card import ScoreCard
from workbench.suite.reports.report import LOCAL_PAGE, RunReport, rollout_url
from workbench.suite.reports.tables import (
    Table,
    card_table,
    change_table,
    comparison_line,
    matrix_table,
    percent,
    plays_of,
    worth_table,
)
from workbench.suite.result import CaseResult, CaseStatus

_STYLE: Final = """
:root{color-scheme:light dark;--ink:#1c1e22;--quiet:#5d636d;--line:#d9dce1;--bad:#b3261e;--good:#1b6e3c;--odd:#8a5a00}
@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--quiet:#9aa1ab;--line:#3a3f47;--bad:#ff8a80;--good:#7bd19a;--odd:#e0b055}}
body{font:14px/1.5 system-ui,sans-serif;color:var(--ink);max-width:1200px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.3rem}h2{font-size:1.05rem;margin-top:2rem}p,.quiet{color:var(--quiet)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;color:var(--quiet)}
code,pre{font:12px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:.2rem 0}
.passed{color:var(--good)}.failed{color:var(--bad)}.error{color:var(--odd)}
summary{cursor:pointer}ul{margin:.2rem 0;padding-left:1.2rem}
svg{max-width:640px;width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:var(--ink)}
"""
_SIGNS: Final = {CaseStatus.PASSED: "✓", CaseStatus.FAILED: "✗", CaseStatus.ERROR: "!"}
_WIDTH: Final = 640
_HEIGHT: Final = 240
_MARGIN: Final = 44


def report_html(report: RunReport, *, page_url: str = LOCAL_PAGE) -> str:
    """The report as a page.

    Args:
        report: What to tell.
        page_url: Of the workbench's page, which shows the rollouts.
    """
    return "\n".join(
        (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            f"<title>{escape(report.title)}</title><style>{_STYLE}</style></head><body>",
            *_body(report, page_url),
            "</body></html>\n",
        )
    )


def front_svg(cards: Sequence[ScoreCard], front: Sequence[str]) -> str:
    """Pass rate against prompt tokens; arms of the front are filled."""
    scored = [card for card in cards if card.pass_rate is not None]
    most = max((card.prompt_tokens for card in scored), default=1.0) or 1.0
    points = "".join(_point(card, most, is_on_front=card.arm in front) for card in scored)
    left, bottom = _MARGIN, _HEIGHT - _MARGIN
    axes = (
        f'<path d="M{left} 12V{bottom}H{_WIDTH - 12}" fill="none" stroke="currentColor" opacity=".4"/>'
        f'<text x="{left - 6}" y="20" text-anchor="end">100 %</text>'
        f'<text x="{left - 6}" y="{bottom}" text-anchor="end">0 %</text>'
        f'<text x="{_WIDTH - 12}" y="{_HEIGHT - 24}" text-anchor="end">{most:.0f} prompt tokens</text>'
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="Pass rate against prompt tokens">{axes}{points}</svg>'
    )


def _body(report: RunReport, page_url: str) -> Iterator[str]:
    yield f"<h1>{escape(report.title)}</h1>"
    done = f"{len(report.results)} of {report.total} plays, {report.state}"
    yield f"<p>Run <code>{escape(report.run_id)}</code>: {done}. ● is on the front.</p>"
    yield _table(card_table(report))
    yield "<h2>Pass rate against prompt tokens</h2>" + front_svg(report.cards, report.front)
    if matrix := matrix_table(report):
        yield "<h2>Contracts × models</h2>" + _table(matrix)
    if report.worths:
        yield "<h2>What parts are worth</h2>" + _table(worth_table(report))
    if report.comparison:
        yield f"<h2>Against {escape(report.baseline)}</h2><p>{escape(comparison_line(report.comparison))}</p>"
        yield _table(change_table(report.comparison))
    yield "<h2>Cases</h2>" + _cases(report, page_url)


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.head)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _cases(report: RunReport, page_url: str) -> str:
    arms = [card.arm for card in report.cards]
    plays = plays_of(report.results)
    head = "".join(f"<th>{escape(arm)}</th>" for arm in arms)
    rows = "".join(
        f"<tr><td>{escape(key)}<br><span class=quiet>{escape(_said(by_arm))}</span></td>"
        + "".join(f"<td>{''.join(_play(one, page_url) for one in by_arm.get(arm, ()))}</td>" for arm in arms)
        + "</tr>"
        for key, by_arm in plays.items()
    )
    return f'<div class="wide"><table><thead><tr><th>case</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _said(by_arm: Mapping[str, Sequence[CaseResult]]) -> str:
    return next((one.said for plays in by_arm.values() for one in plays), "")


def _play(one: CaseResult, page_url: str) -> str:
    status = one.status.value
    outcomes = "".join(
        f'<li class="{"passed" if each.holds else "failed"}">{escape(each.kind)}: {escape(each.reason)}</li>'
        for each in one.outcomes
    )
    came = "".join(f"<pre>{escape(text)}</pre>" for text in (one.calls_told, one.answer, one.error) if text)
    url = rollout_url(one, page_url)
    link = f'<a href="{escape(url)}">rollout</a>' if url else ""
    return (
        f'<details><summary class="{status}">{_SIGNS[one.status]} {status}'
        f" <span class=quiet>{one.measures.seconds:.1f} s</span></summary><ul>{outcomes}</ul>{came}{link}</details>"
    )


def _point(card: ScoreCard, most: float, *, is_on_front: bool) -> str:
    x = _MARGIN + (_WIDTH - _MARGIN - 60) * card.prompt_tokens / most
    y = 12 + (_HEIGHT - _MARGIN - 12) * (1 - (card.pass_rate or 0.0))
    fill = "currentColor" if is_on_front else "none"
    name = escape(card.arm)
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}" stroke="currentColor">'
        f"<title>{name}: {percent(card.pass_rate)}, {card.prompt_tokens:.0f} tokens</title></circle>"
        f'<text x="{x - 9:.1f}" y="{y + 16:.1f}" text-anchor="end">{name[:40]}</text>'
    )
