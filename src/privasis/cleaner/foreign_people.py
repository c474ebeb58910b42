"""People's names in scripts without capitals: by what stands before and behind them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from privasis.types import Span

# The most frequent family names; a name is one of these with one or two characters behind it.
_CHINESE: Final = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁"
    "谢宋唐许邓冯韩曹曾彭萧蔡潘田董袁于余叶蒋杜苏"
    "魏程吕丁沈任姚卢傅钟姜崔谭廖范汪陆"
    "金石戴贾韦夏邱方侯邹熊孟秦白江阎薛尹段雷黎史"
    "龙陶贺顾毛郝龚邵万钱严覃武張劉陳楊黃趙吳孫馬"
    "鄭謝許鄧馮蕭葉蔣蘇呂盧鍾譚陸賈韋鄒閻賀顧龔萬"
    "錢嚴"
)
_HAN: Final = "\u4e00-\u9fff"
_CUES: Final = (
    "姓名|名字|联系人|患者|病人|请联系|联系|客户|员工|学生"
    "|老师|医生|先生|女士|本人|我叫|我是|叫|寄件人|收件人"
    "|签名|作者|同事"
)
_BEHIND: Final = "先生|女士|小姐|太太|医生|醫生|老师|老師|教授|经理|律师|同学|主任"
_NAME_ZH: Final = re.compile(
    rf"(?:(?:{_CUES})[：:是为叫\s]?|(?<![{_HAN}]))(?P<name>[{_CHINESE}][{_HAN}]{{1,2}})(?=[^{_HAN}]"
    rf"|$|{_BEHIND}|[的在于是和与向把将说已于去来到住]|电话|手机|出生|身份)"
)
_NAME_JA: Final = re.compile(
    rf"(?P<name>[{_HAN}々]{{1,4}}[ 　]?(?:[{_HAN}々]{{1,3}}|[\u3040-\u309f]{{2,4}}"
    rf"|[\u30a0-\u30ff]{{2,6}})?)(?=様|さん|氏(?!名)|くん|ちゃん|殿)"
    rf"|(?:氏名|名前|患者名?|担当者?|差出人|宛名|作成者)[：:\s　]+(?P<labelled>[{_HAN}"
    rf"々]{{1,4}}[ 　]?[{_HAN}々\u3040-\u30ff]{{1,5}})"
)
_KOREAN: Final = (
    "김이박최정강조윤장임한오서신권황안송류전홍고"
    "문양손배백허유남심노하곽성차주우구민진지엄채"
    "원천방공현함변염여추도소석선설마길연위표명기"
    "반왕금옥육인맹제모"
)
_NAME_KO: Final = re.compile(
    rf"(?:(?:이름|성명|환자|담당자|작성자|고객|학생)[：:은는\s]{{1,3}}(?P<labelled>[{_KOREAN}]["
    rf"가-힣]{{1,2}}?)(?=[^가-힣]|[은는이가의을를와과]|씨|님|$))"
    rf"|(?<![가-힣])(?P<name>[{_KOREAN}][가-힣]{{2}})(?=\s?(?:씨|님|선생|교수|과장|부장|대리|원장))"
)
_ARABIC: Final = re.compile(
    r"(?:المريضة|المريض|السيدة|السيد|الاسم|اسم|الدكتورة|الدكتور|الأستاذ|الآنسة)[:"
    r"：\s]{1,2}(?P<name>[\u0621-\u0652]{2,}(?:\s[\u0621-\u0652]{2,})?)"
)
_HEBREW: Final = re.compile(
    r"(?:שם|מר|גברת|גב'|ד\"ר|המטופלת|המטופל|החולה)[:\s]{1,2}(?P<name>[\u05d0-\u05ea]{2,}(?:\s[\u05d0-\u05ea]{2,})?)"
)
_THAI: Final = re.compile(
    r"(?:คุณ|นาย|นางสาว|นาง|ดร\.)\s?(?P<name>[\u0e01-\u0e4e]{2,20}\s[\u0e01-\u0e4e]{2,20}?)(?=โทร"
    r"|มา|ได้|เป็น|อยู่|ที่|\s|$|[,.])"
)
_DEVANAGARI: Final = re.compile(
    r"(?:श्रीमती|श्री|डॉ\.?|नाम)[:\s]{1,2}(?P<name>[\u0900-\u097f]{2,}(?:\s[\u0900-\u097f]{2,})?)"
)
_PATTERNS: Final = (_NAME_ZH, _NAME_JA, _NAME_KO, _ARABIC, _HEBREW, _THAI, _DEVANAGARI)
_KANA: Final = re.compile(r"[\u3040-\u30ff]")
_PATIENT: Final = re.compile(r"患者|病人|환자|المريض|המטופל|החולה")


def foreign_people(text: str) -> Iterator[tuple[Span, str]]:
    """Yield the spans of names in Chinese, Japanese, Korean, Arabic, Hebrew, Thai and Hindi, with a role."""
    if text.isascii():
        return
    japanese = _KANA.search(text) is not None
    for pattern in _PATTERNS:
        if pattern is (_NAME_ZH if japanese else _NAME_JA):
            continue
        for found in pattern.finditer(text):
            group = next(name for name, value in found.groupdict().items() if value)
            before = text[max(0, found.start(group) - 6) : found.start(group)]
            yield Span(*found.span(group)), "patient" if _PATIENT.search(before) else ""
