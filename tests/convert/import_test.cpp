// URDF and MJCF against the same mechanism written by hand; what cannot be converted is listed; bad files are refused.
#include "plumb/convert/import.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/model/reader.h"
#include "plumb/study/diagnosis.h"
#include "plumb/trajectory/result.h"

namespace plumb {
namespace {

const char* const arm_urdf = R"(<?xml version="1.0"?>
<robot name="arm">
  <material name="blue"/>
  <link name="base"/>
  <link name="upper arm">
    <inertial><origin xyz="0.2 0 0" rpy="0 0 1.5707963267948966"/><mass value="1.5"/>
      <inertia ixx="0.03" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.032"/></inertial>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <link name="fore">
    <inertial><origin xyz="0.15 0 0"/><mass value="0.8"/>
      <inertia ixx="0.004" ixy="0" ixz="0" iyy="0.012" iyz="0" izz="0.013"/></inertial>
  </link>
  <link name="tool"/>
  <joint name="shoulder" type="continuous">
    <parent link="base"/><child link="upper arm"/><origin xyz="0 0 1" rpy="0 0.3 0"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper arm"/><child link="fore"/><origin xyz="0.4 0 0" rpy="0.2 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2.5" effort="10" velocity="3"/><dynamics damping="0.05"/>
  </joint>
  <joint name="flange" type="fixed"><parent link="fore"/><child link="tool"/><origin xyz="0.3 0 0"/></joint>
</robot>)";

TEST(ImportUrdf, MovesLikeTheSameArmByHand) {
  Imported imported = import_text(arm_urdf, "arm.urdf");
  Model& m = imported.model;
  ASSERT_EQ(m.bodies.size(), 2u);
  ASSERT_EQ(m.joints.size(), 2u);
  EXPECT_EQ(m.bodies[0].name, "upper_arm");
  EXPECT_EQ(m.joints[1].limits, (std::vector<double>{-2, 2.5}));
  // By hand: the frames multiplied out.
  const Mat3 R1 = Eigen::AngleAxisd(0.3, Vec3::UnitY()).toRotationMatrix();
  const Mat3 R2 = R1 * Eigen::AngleAxisd(0.2, Vec3::UnitX()).toRotationMatrix();
  const Vec3 shoulder(0, 0, 1), elbow = shoulder + R1 * Vec3(0.4, 0, 0);
  Model hand;
  // The inertial frame is turned by 90 degrees about z: xx and yy change places.
  hand.add(Body{.name = "u",
                .mass = 1.5,
                .inertia = Inertia{{0.01, 0.03, 0.032}, Vec3::Zero()},
                .position = shoulder + R1 * Vec3(0.2, 0, 0),
                .rotation = Quaternion::from_matrix(R1)});
  hand.add(Body{.name = "f",
                .mass = 0.8,
                .inertia = Inertia{{0.004, 0.012, 0.013}, Vec3::Zero()},
                .position = elbow + R2 * Vec3(0.15, 0, 0),
                .rotation = Quaternion::from_matrix(R2)});
  hand.add(Joint{.name = "s",
                 .type = "revolute",
                 .from = "ground",
                 .to = "u",
                 .point = Point{0.0, 0.0, 1.0},
                 .axis = Vec3(R1 * Vec3::UnitY())});
  hand.add(Joint{.name = "e",
                 .type = "revolute",
                 .from = "u",
                 .to = "f",
                 .point = Point{elbow.x(), elbow.y(), elbow.z()},
                 .axis = Vec3(R2 * Vec3::UnitZ())});
  hand.add(Force{.name = "d", .type = "torsion", .joint = "e", .damping = 0.05});
  for (Model* x : {&m, &hand}) x->simulation.duration = 0.7, x->simulation.tolerance = 1e-11;
  m.joints[1].limits.reset();
  const Result a = simulate(m), b = simulate(hand);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR((a.final[i].position - b.final[i].position).norm(), 0, 1e-9);
}

TEST(ImportUrdf, ListsWhatItLeavesOut) {
  const Imported imported = import_text(arm_urdf, "arm.urdf");
  std::vector<std::string> elements;
  for (const NotImported& n : imported.left_out) elements.push_back(n.element);
  EXPECT_EQ(elements, (std::vector<std::string>{"robot: <material>", "link 'upper arm': <visual>",
                                                "joint 'elbow': <limit effort>", "joint 'elbow': <limit velocity>"}));
  EXPECT_EQ(imported.left_out[0].line, 3);
  EXPECT_EQ(imported.left_out[1].line, 8);
}

TEST(ImportUrdf, AWrittenModelReadsBackTheSame) {
  const Model m = import_text(arm_urdf, "arm.urdf").model;
  const Model again = parse_model(write_model(m), "arm.toml");
  ASSERT_EQ(again.bodies.size(), m.bodies.size());
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    EXPECT_EQ(again.bodies[i].position, m.bodies[i].position);
    EXPECT_EQ(again.bodies[i].inertia->matrix(), m.bodies[i].inertia->matrix());
    EXPECT_NEAR(again.bodies[i].rotation.x, m.bodies[i].rotation.x, 1e-15);
  }
  EXPECT_EQ(again.joints[1].limits, m.joints[1].limits);
  EXPECT_EQ(*again.joints[1].axis, *m.joints[1].axis);
  EXPECT_EQ(again.forces[0].damping, m.forces[0].damping);
}

TEST(ImportUrdf, OurLoopClosuresCanBeAdded) {
  Model m = import_text(arm_urdf, "arm.urdf").model;
  m.add(Joint{.name = "stay", .type = "rod", .from = "ground", .to = "fore", .from_point = Point{0.9, 0.0, 1.4}});
  const Diagnosis d = diagnose(m);
  EXPECT_EQ(d.degrees_of_freedom, 1);
}

TEST(ImportUrdf, MimicBecomesACoupler) {
  std::string text = arm_urdf;
  const std::string damping = "<dynamics damping=\"0.05\"/>";
  text.replace(text.find(damping), damping.size(), "<mimic joint=\"shoulder\" multiplier=\"-2\"/>");
  Model m = import_text(text, "arm.urdf").model;
  ASSERT_EQ(m.joints.size(), 3u);
  m.joints[1].limits.reset();
  m.simulation.duration = 0.5;
  const Result r = simulate(m);
  EXPECT_NEAR(r.trajectory["elbow.angle"].back(), -2 * r.trajectory["shoulder.angle"].back(), 1e-12);
  EXPECT_GT(std::abs(r.trajectory["elbow.angle"].back()), 0.1);
}

const char* const swing_mjcf = R"(<mujoco model="swing">
  <compiler angle="degree"/>
  <option gravity="0 0 -9.81" timestep="0.002"/>
  <default><geom density="500"/><default class="stiff"><joint damping="0.3"/></default></default>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="5 5 1"/>
    <body name="beam" pos="0 0 2" euler="0 20 0">
      <joint name="hinge" type="hinge" axis="0 1 0" class="stiff"/>
      <geom type="capsule" fromto="0 0 0 0.6 0 0" size="0.04"/>
      <geom type="box" size="0.05 0.1 0.02" pos="0.6 0 0" mass="0.7"/>
      <body name="bob" pos="0.6 0 0">
        <joint name="slider" type="slide" axis="0 0 1" range="-0.1 0.2"/>
        <inertial pos="0 0 -0.1" mass="0.5" diaginertia="0.002 0.003 0.001"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="hinge"/></actuator>
</mujoco>)";

TEST(ImportMjcf, MassesPosesAndJoints) {
  const Imported imported = import_text(swing_mjcf, "swing.xml");
  const Model& m = imported.model;
  ASSERT_EQ(m.bodies.size(), 2u);
  const double r = 0.04, L = 0.6, capsule = 500 * (M_PI * r * r * L + 4 * M_PI / 3 * r * r * r);
  EXPECT_NEAR(*m.bodies[0].mass, capsule + 0.7, 1e-12);
  EXPECT_NEAR(m.bodies[0].mass_center->x(), (capsule * 0.3 + 0.7 * 0.6) / (capsule + 0.7), 1e-12);
  // About y through the mass centre: each part's own moment and Steiner's term.
  const double c = m.bodies[0].mass_center->x();
  const double own = capsule * unit_inertia(Capsule{r, L}).moments.x() + capsule * (c - 0.3) * (c - 0.3);
  const double block = 0.7 * unit_inertia(Box{{0.1, 0.2, 0.04}}).moments.y() + 0.7 * (c - 0.6) * (c - 0.6);
  EXPECT_NEAR(m.bodies[0].inertia->moments.y(), own + block, 1e-12);
  const double a = 20 * M_PI / 180;
  EXPECT_NEAR(m.bodies[0].position.x(), c * std::cos(a), 1e-12);
  EXPECT_NEAR(m.bodies[0].position.z(), 2 - c * std::sin(a), 1e-12);
  EXPECT_EQ(m.joints[0].type, "revolute");
  EXPECT_EQ(m.joints[1].type, "prismatic");
  EXPECT_NEAR(m.joints[1].axis->x(), std::sin(a), 1e-12);
  EXPECT_EQ(m.joints[1].limits, (std::vector<double>{-0.1, 0.2}));
  ASSERT_EQ(m.forces.size(), 1u);
  EXPECT_EQ(m.forces[0].damping, 0.3);
  std::vector<std::string> elements;
  for (const NotImported& n : imported.left_out) elements.push_back(n.element);
  EXPECT_EQ(elements, (std::vector<std::string>{"option: <option timestep>", "worldbody: <light>", "worldbody: <geom>",
                                                "mujoco: <actuator>"}));
}

TEST(ImportMjcf, EqualitiesCloseLoops) {
  const char* text = R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="a" pos="0 0 0"><joint name="ja" axis="0 1 0"/><geom type="box" size="0.02 0.02 0.5" pos="0 0 0.5"/>
      <body name="b" pos="0 0 1"><joint name="jb" axis="0 1 0"/><geom type="box" size="0.6 0.02 0.02" pos="0.6 0 0"/></body></body>
    <body name="c" pos="1.2 0 0"><joint name="jc" axis="0 1 0"/><geom type="box" size="0.02 0.02 0.5" pos="0 0 0.5"/></body>
  </worldbody><equality><connect body1="b" body2="c" anchor="1.2 0 0" solref="0.02 1"/></equality></mujoco>)";
  const Imported imported = import_text(text, "loop.xml");
  ASSERT_EQ(imported.model.joints.size(), 4u);
  EXPECT_EQ(imported.model.joints[3].type, "spherical");
  EXPECT_EQ(diagnose(imported.model).degrees_of_freedom, 1);
  ASSERT_EQ(imported.left_out.size(), 1u);
  EXPECT_EQ(imported.left_out[0].element, "equality 'connect': <connect solref>");
}

struct BadFile {
  const char *name, *text;
  std::vector<const char*> words;
};

class BadImport : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadImport, IsRefusedWithFileAndLine) {
  try {
    import_text(GetParam().text, "bad.xml");
    FAIL() << "no complaint";
  } catch (const InputError& e) {
    for (const char* word : GetParam().words)
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what() << "\nlacks: " << word;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadImport,
    ::testing::Values(
        BadFile{"NotXml", "<robot>\n<link", {"bad.xml:", "not an XML file"}},
        BadFile{"OtherRoot", "<sdf/>", {"bad.xml:1:", "neither <robot>"}},
        BadFile{"NoLinks", "<robot/>", {"bad.xml:1:", "there is no <link>"}},
        BadFile{"MissingParent",
                "<robot>\n<link name='a'/>\n<joint name='j' type='fixed'>\n<parent link='b'/><child "
                "link='a'/></joint></robot>",
                {"bad.xml:4:", "joint 'j'", "no link 'b'"}},
        BadFile{"Circle",
                "<robot><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='a'/><child "
                "link='b'/></joint>\n<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
                {"bad.xml:1:", "form a circle"}},
        BadFile{"DetachedCircle",
                "<robot><link name='r'/><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent "
                "link='a'/><child link='b'/></joint>\n<joint name='k' type='fixed'><parent link='b'/><child "
                "link='a'/></joint></robot>",
                {"bad.xml:2:", "hangs in a circle"}},
        BadFile{"TwoParents",
                "<robot><link name='r'/><link name='a'/><link name='b'/>\n<joint name='i' type='fixed'><parent "
                "link='r'/><child link='a'/></joint><joint name='j' type='fixed'><parent link='r'/><child "
                "link='b'/></joint>\n<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
                {"bad.xml:3:", "link 'b' has a parent already (line 2)"}},
        BadFile{"MasslessMover",
                "<robot><link name='r'/><link name='a'/>\n<joint name='i' type='continuous'><parent link='r'/><child "
                "link='a'/></joint></robot>",
                {"bad.xml:1:", "link 'a'", "has no mass but moves"}},
        BadFile{"BadNumber",
                "<robot><link name='r'/><link name='a'><inertial>\n<mass value='heavy'/><inertia "
                "ixx='1'/></inertial></link><joint name='i' type='continuous'><parent link='r'/><child "
                "link='a'/></joint></robot>",
                {"bad.xml:2:", "must be finite numbers"}},
        BadFile{"BadInertia",
                "<robot><link name='r'/><link name='a'><inertial><mass value='1'/>\n<inertia ixx='1' iyy='1' "
                "izz='9'/></inertial></link><joint name='i' type='continuous'><parent link='r'/><child "
                "link='a'/></joint></robot>",
                {"bad.xml:2:", "link 'a'", "inertia"}},
        BadFile{"NoWorld", "<mujoco/>", {"bad.xml:1:", "no <worldbody>"}},
        BadFile{"NoMass",
                "<mujoco><worldbody>\n<body name='a'><joint/></body></worldbody></mujoco>",
                {"bad.xml:2:", "body 'a'", "has no mass"}},
        BadFile{"UnknownBodyInConnect",
                "<mujoco><worldbody/><equality>\n<connect body1='x' anchor='0 0 0'/></equality></mujoco>",
                {"bad.xml:2:", "no body 'x'"}},
        BadFile{"OddJoints",
                "<mujoco><worldbody><body name='a'><geom size='1'/>\n<joint type='slide'/><joint "
                "type='ball'/></body></worldbody></mujoco>",
                {"bad.xml:2:", "have no counterpart"}}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace plumb
