"""Elements of pictures: what XML cannot hold."""

from xml.etree import ElementTree

from kgb_env.render.picture import Picture
from kgb_env.render.svg import chip, element, text

BAD = "a\x00\x1b[31m\x0b\ufffe\uffff\ud800\udfff<&\"'é\U0001f600"
KEPT = "a??[31m?????<&\"'é\U0001f600".replace("?", "\ufffd")


def test_what_xml_cannot_hold_is_replaced_everywhere():
    parts = element("rect", data_name=BAD), text(1, 2, BAD), chip(1, 2, BAD, 30)
    picture = Picture(10, 10, parts, BAD)
    root = ElementTree.fromstring(picture.svg.encode())
    texts = [each.text for each in root.iter() if each.text and each.text.strip()]
    assert texts == [KEPT] * 3
    assert [each.get("data-name") for each in root.iter() if each.get("data-name")] == [KEPT]
    assert picture.png()
